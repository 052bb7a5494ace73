/** The scripts that let a shell complete `messaging` and `npx messaging-soap`. They ask the program what can follow. */
export const scripts = {
  bash: `# bash completion for messaging
_messaging() {
  local IFS=$'\\n' program=$1 folder=$PWD first=1
  if [[ \${1##*/} == npx ]]; then
    # npx would install what is missing. Only an installed program is asked.
    while (( first <= COMP_CWORD )) && [[ ! \${COMP_WORDS[first - 1]} =~ ^messaging(-soap)?$ ]]; do first=$((first + 1)); done
    while [[ -n $folder && ! -x $folder/node_modules/.bin/messaging ]]; do folder=\${folder%/*}; done
    program=$folder/node_modules/.bin/messaging
  fi
  COMPREPLY=()
  (( first <= COMP_CWORD )) || return
  COMPREPLY=($("$program" __complete bash "\${COMP_WORDS[@]:first:COMP_CWORD - first + 1}" 2>/dev/null))
  if [[ \${COMPREPLY[0]} == :files ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]#=}"))
  fi
}
complete -F _messaging messaging messaging-soap
complete -p npx &>/dev/null || complete -o default -F _messaging npx
`,
  zsh: `#compdef messaging messaging-soap npx
_messaging() {
  local program=$words[1] folder=$PWD
  local -i first=2
  local -a lines
  if [[ \${program:t} == npx ]]; then
    # npx would install what is missing. Only an installed program is asked.
    first=$(( words[(i)messaging(|-soap)] + 1 ))
    (( first <= CURRENT )) || { _default; return }
    while [[ -n $folder && ! -x $folder/node_modules/.bin/messaging ]]; do folder=\${folder%/*}; done
    program=$folder/node_modules/.bin/messaging
  fi
  lines=("\${(@f)$("$program" __complete zsh "\${(@Q)words[first,CURRENT - 1]}" "$PREFIX" 2>/dev/null)}")
  if [[ $lines[1] == :files ]]; then _files; return; fi
  [[ -n $lines ]] || return 1
  lines=("\${(@)\${(@)lines//:/\\\\:}/$'\\t'/:}")
  _describe messaging lines
}
if [[ $funcstack[1] == _messaging ]]; then _messaging "$@"; else compdef _messaging messaging messaging-soap npx; fi
`,
  fish: `# fish completion for messaging
function __messaging_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    if string match -qr '(^|/)npx$' -- $program
        # npx would install what is missing. Only an installed program is asked.
        set -l place (contains -i messaging-soap -- $words; or contains -i messaging -- $words); or return
        set words $words[$place..]
        set -l folder $PWD
        while test -n "$folder" -a ! -x "$folder/node_modules/.bin/messaging"
            set folder (string replace -r '/[^/]*$' '' -- $folder)
        end
        set program $folder/node_modules/.bin/messaging
    end
    command -q $program; or return
    set -l lines ($program __complete fish $words[2..] "$current" 2>/dev/null)
    if test "$lines[1]" = :files
        __fish_complete_path "$current"
    else
        string join \\n -- $lines
    end
end
complete -c messaging -f -a '(__messaging_complete)'
complete -c messaging-soap -f -a '(__messaging_complete)'
complete -c npx -n 'contains messaging (commandline -opc); or contains messaging-soap (commandline -opc)' -f -a '(__messaging_complete)'
`,
} as const;
