/// Completions for bash; they need no bash-completion beside them.
enum BashCompletion {
  static func script(_ table: CompletionTable) -> String {
    let cases = table.contexts.map { "    '\($0.context)') REPLY='\($0.candidates.joined(separator: " "))' ;;" }
    return """
      # bash completion for twinrig
      # What may follow a context, in REPLY; fails where there is no such context.
      _twinrig_words() {
        case $1 in
      \(cases.joined(separator: "\n"))
          *) return 1 ;;
        esac
      }

      _twinrig() {
        local REPLY='' line=${COMP_LINE:0:COMP_POINT} context='' pending='' current='' word index prefix=''
        local -a words
        # bash would break words at =, blanks alone count here
        read -ra words <<<"$line"
        if [[ $line != *[[:space:]] ]]; then
          index=$((${#words[@]} - 1))
          current=${words[index]}
          unset "words[index]"
        fi
        for word in "${words[@]:1}"; do
          if [[ -n $pending ]]; then
            pending=''
          elif [[ $word == -* ]]; then
            _twinrig_words "${context:+$context }$word" && pending=$word
          elif [[ $word != *=* ]] && _twinrig_words "${context:+$context }$word"; then
            context=${context:+$context }$word
          fi
        done
        if [[ -n $pending ]]; then
          context=${context:+$context }$pending
        elif [[ $current == *=* ]]; then
          context="$context ${current%%=*}="
          prefix=${current%%=*}=
        fi
        COMPREPLY=()
        _twinrig_words "$context" || return 0
        for word in $REPLY; do
          case $word in
            @files) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$current") ;;
            @folders) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$current") ;;
            *) [[ $prefix$word == "$current"* ]] && COMPREPLY+=("$prefix$word") ;;
          esac
        done
        # where bash breaks words at =, it replaces only what follows
        if [[ -n $prefix && $COMP_WORDBREAKS == *=* ]]; then COMPREPLY=("${COMPREPLY[@]#"$prefix"}"); fi
        if [[ ${COMPREPLY[0]-} == *= ]]; then compopt -o nospace 2>/dev/null; fi
        return 0
      }

      complete -o filenames -F _twinrig twinrig
      """
  }
}
