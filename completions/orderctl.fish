# orderctl: completion for fish, 3.1 and up. `orderctl completion fish` prints it.
# Nothing that is typed or offered is evaluated: words are unescaped, not expanded, and fish escapes what it inserts.

# Finds what is offered; fails where the shell's own files are meant.
function __orderctl_offer
    set -g __orderctl_candidates
    set -l words (commandline -opc)
    # VARIABLE=value in front of the command.
    while string match -qr '^\w+=' -- $words[1]
        set -e words[1]
    end
    set -l typed (commandline -ct | string collect)
    set -l word $typed
    # With a quote that is still open, the second or the third.
    for closed in $typed $typed\" $typed\'
        set -l unescaped (string unescape -- $closed | string collect)
        and set word $unescaped
        and break
    end

    set -l lines (command orderctl __complete -- $words[2..-1] "$word" 2>/dev/null </dev/null)
    # What the last line says: how it goes on from there.
    switch "$lines[-1]"
        case :files
            set -e lines[-1]
            if test (count $lines) -eq 0
                return 1
            end
            # Both what is offered and files.
            set -g __orderctl_candidates $lines (__fish_complete_path $word)
        case :command
            # The line of another command begins behind `--`.
            set -l at (contains -i -- -- $words)
            set -l behind (string escape -- $words[(math $at + 1)..-1])
            set -g __orderctl_candidates (complete -C "$(string join ' ' -- $behind $typed)")
        case : :nospace
            set -e lines[-1]
            set -g __orderctl_candidates $lines
    end
    return 0
end

complete -c orderctl -e
# Each as it stands; in the order in which they came, the newest first.
complete -c orderctl -n __orderctl_offer -f -k -a '$__orderctl_candidates'
