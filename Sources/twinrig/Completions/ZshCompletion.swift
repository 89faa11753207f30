/// Completions for zsh.
enum ZshCompletion {
  static func script(_ table: CompletionTable) -> String {
    let cases = table.contexts.map { "    '\($0.context)') reply=(\($0.candidates.joined(separator: " "))) ;;" }
    return """
      #compdef twinrig
      # What may follow a context, in reply; fails where there is no such context.
      _twinrig_words() {
        case $1 in
      \(cases.joined(separator: "\n"))
          *) return 1 ;;
        esac
      }

      _twinrig() {
        local context='' pending='' current=${words[CURRENT]} word prefix=''
        local -a reply plain keys
        for word in ${words[2,CURRENT-1]}; do
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
          prefix=${current%%=*}=
          context="$context $prefix"
        fi
        _twinrig_words "$context" || return 1
        for word in $reply; do
          case $word in
            @files) _files ;;
            @folders) _files -/ ;;
            *=) keys+=($prefix$word) ;;
            *) plain+=($prefix$word) ;;
          esac
        done
        (( $#keys )) && compadd -S '' -- $keys
        (( $#plain )) && compadd -- $plain
        return 0
      }

      if [[ $funcstack[1] == _twinrig ]]; then _twinrig "$@"; else compdef _twinrig twinrig; fi
      """
  }
}
