/// Completions for fish.
enum FishCompletion {
  static func script(_ table: CompletionTable) -> String {
    let cases = table.contexts.map { entry in
      // a switch takes no list of nothing
      let words = entry.candidates.map { "'\($0)'" }.joined(separator: " ")
      return "        case '\(entry.context)'\n            string join \\n -- \(words)\n            return 0"
    }
    return """
      # fish completion for twinrig
      # Prints what may follow a context; fails where there is no such context.
      function __twinrig_words
          switch "$argv[1]"
      \(cases.joined(separator: "\n"))
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
      """
  }
}
