# fish completion for twinrig
# Prints what may follow a context; fails where there is no such context.
function __twinrig_words
    switch "$argv[1]"
        case ''
            string join \n -- 'answer' 'battery' 'box' 'buttons' 'camera' 'caps' 'capture' 'completions' 'config' 'coverage' 'demo' 'doctor' 'health' 'help' 'home' 'job' 'jobs' 'light' 'limits' 'model' 'models' 'move' 'reconstruct' 'scan' 'session' 'sessions' 'shot' 'spin' 'status' 'stop' 'unwatch' 'version' 'watch' '--help' '--json' '--socket' '--version'
            return 0
        case '--socket'
            string join \n -- '@files'
            return 0
        case 'answer'
            string join \n -- 'cleared' 'placed' 'flipped' 'height' 'finish' 'skip' '--help'
            return 0
        case 'battery'
            string join \n -- '--help'
            return 0
        case 'box'
            string join \n -- 'set=' 'reset' '--help'
            return 0
        case 'box reset'
            string join \n -- '--help'
            return 0
        case 'buttons'
            string join \n -- '--help'
            return 0
        case 'camera'
            string join \n -- 'lock' 'unlock' '--help'
            return 0
        case 'camera lock'
            string join \n -- '--help'
            return 0
        case 'camera unlock'
            string join \n -- '--help'
            return 0
        case 'caps'
            string join \n -- '--help'
            return 0
        case 'capture'
            string join \n -- 'start' 'pause' 'resume' 'cancel' 'finish' '--help'
            return 0
        case 'capture cancel'
            string join \n -- '--help'
            return 0
        case 'capture finish'
            string join \n -- '--help'
            return 0
        case 'capture pause'
            string join \n -- '--help'
            return 0
        case 'capture resume'
            string join \n -- '--help'
            return 0
        case 'capture start'
            string join \n -- 'name=' 'shots=' 'passes=' 'detail=' 'overcapture=' 'box=' '--help'
            return 0
        case 'capture start detail='
            string join \n -- 'preview' 'reduced' 'medium'
            return 0
        case 'capture start overcapture='
            string join \n -- 'yes' 'no'
            return 0
        case 'completions'
            string join \n -- 'bash' 'zsh' 'fish' '--help'
            return 0
        case 'config'
            string join \n -- 'reload' 'check' 'defaults' '--help'
            return 0
        case 'config check'
            string join \n -- '@files' '--json' '--help'
            return 0
        case 'config defaults'
            string join \n -- '--help'
            return 0
        case 'config reload'
            string join \n -- '--help'
            return 0
        case 'coverage'
            string join \n -- '--help'
            return 0
        case 'demo'
            string join \n -- 'name=' 'shots=' 'passes=' 'detail=' 'overcapture=' 'box=' '--config' '--help' '--output'
            return 0
        case 'demo --config'
            string join \n -- '@files'
            return 0
        case 'demo --output'
            string join \n -- '@folders'
            return 0
        case 'demo detail='
            string join \n -- 'preview' 'reduced' 'medium'
            return 0
        case 'demo overcapture='
            string join \n -- 'yes' 'no'
            return 0
        case 'doctor'
            string join \n -- '--config' '--help' '--json'
            return 0
        case 'doctor --config'
            string join \n -- '@files'
            return 0
        case 'health'
            string join \n -- '--help'
            return 0
        case 'help'
            string join \n -- 'answer' 'battery' 'box' 'buttons' 'camera' 'caps' 'capture' 'completions' 'config' 'coverage' 'demo' 'doctor' 'health' 'help' 'home' 'job' 'jobs' 'light' 'limits' 'model' 'models' 'move' 'reconstruct' 'scan' 'session' 'sessions' 'shot' 'spin' 'status' 'stop' 'unwatch' 'version' 'watch' '--help'
            return 0
        case 'home'
            string join \n -- 'turntable' 'pan' 'tilt' '--help'
            return 0
        case 'job'
            string join \n -- 'pause' 'resume' 'cancel' '--help'
            return 0
        case 'job cancel'
            string join \n -- '--help'
            return 0
        case 'job pause'
            string join \n -- '--help'
            return 0
        case 'job resume'
            string join \n -- '--help'
            return 0
        case 'jobs'
            string join \n -- '--help'
            return 0
        case 'light'
            string join \n -- '--help'
            return 0
        case 'limits'
            string join \n -- 'turntable' 'pan' 'tilt' '--help'
            return 0
        case 'model'
            string join \n -- 'set' '--help'
            return 0
        case 'model set'
            string join \n -- 'name=' 'description=' 'url=' 'price=' '--help'
            return 0
        case 'models'
            string join \n -- '--help'
            return 0
        case 'move'
            string join \n -- 'turntable=' 'pan=' 'tilt=' 'speed=' '--help'
            return 0
        case 'reconstruct'
            string join \n -- 'detail=' 'output=' '--cameras' '--detail' '--fine-mesh' '--help' '--memory-limit' '--name' '--no-points' '--output' '--progress' '--texture-size' '--threads' '--triangles' '--unit' '@folders'
            return 0
        case 'reconstruct --cameras'
            string join \n -- '@files'
            return 0
        case 'reconstruct --detail'
            string join \n -- 'preview' 'reduced' 'medium'
            return 0
        case 'reconstruct --memory-limit'
            string join \n -- 
            return 0
        case 'reconstruct --name'
            string join \n -- 
            return 0
        case 'reconstruct --output'
            string join \n -- '@folders'
            return 0
        case 'reconstruct --progress'
            string join \n -- 'json'
            return 0
        case 'reconstruct --texture-size'
            string join \n -- 
            return 0
        case 'reconstruct --threads'
            string join \n -- 
            return 0
        case 'reconstruct --triangles'
            string join \n -- 
            return 0
        case 'reconstruct --unit'
            string join \n -- 
            return 0
        case 'reconstruct detail='
            string join \n -- 'preview' 'reduced' 'medium'
            return 0
        case 'reconstruct output='
            string join \n -- 'model' 'poses' 'bounds' 'pointcloud'
            return 0
        case 'scan'
            string join \n -- 'name=' 'shots=' 'passes=' 'detail=' 'overcapture=' 'box=' '--help' '--json,' '--yes'
            return 0
        case 'scan detail='
            string join \n -- 'preview' 'reduced' 'medium'
            return 0
        case 'scan overcapture='
            string join \n -- 'yes' 'no'
            return 0
        case 'session'
            string join \n -- '--help'
            return 0
        case 'sessions'
            string join \n -- '--help'
            return 0
        case 'shot'
            string join \n -- '--help'
            return 0
        case 'spin'
            string join \n -- 'turntable' 'pan' 'tilt' 'velocity=' '--help'
            return 0
        case 'status'
            string join \n -- '--help'
            return 0
        case 'stop'
            string join \n -- '--help'
            return 0
        case 'unwatch'
            string join \n -- '--help'
            return 0
        case 'version'
            string join \n -- '--help'
            return 0
        case 'watch'
            string join \n -- 'state' 'progress' 'coverage' 'feedback' 'prompt' 'sample' 'file' 'battery' 'button' 'device' 'until=' '--help'
            return 0
    end
    return 1
end

# The context of a command line that stands before the word at the cursor.
function __twinrig_context
    set -l context ''
    set -l pending ''
    for word in $argv
        set -l longer (string trim -- "$context $word")
        if test -n "$pending"
            set pending ''
        else if string match -q -- '-*' $word
            if __twinrig_words "$longer" >/dev/null
                set pending $word
            end
        else if not string match -q -- '*=*' $word; and __twinrig_words "$longer" >/dev/null
            set context $longer
        end
    end
    string trim -- "$context $pending"
end

# Prints the candidates for a word behind others.
function __twinrig_candidates
    set -l current $argv[1]
    set -l context (__twinrig_context $argv[2..-1])
    set -l prefix ''
    if string match -q -- '*=*' $current
        set prefix (string replace -r -- '=.*' '=' $current)
        set context "$context $prefix"
    end
    for word in (__twinrig_words "$context")
        switch $word
            case '@files'
                __fish_complete_path $current
            case '@folders'
                __fish_complete_directories $current
            case '*'
                echo $prefix$word
        end
    end
end

complete -c twinrig -f -a '(__twinrig_candidates (commandline -ct) (commandline -opc)[2..-1])'
