// The clipboard: the platform's tool where there is one, else the terminal's own (OSC 52). A value goes to a tool on
// its standard input alone: what a program was started with, everybody on the machine can read.
import type { Context } from '../../context.ts'
import { buildClipboardSequence } from '../../ui/terminal/osc52.ts'

export type Clipboard = {
  readonly name: string
  copy(text: string): Promise<void>
  /** False where it holds something else by now; where that cannot be told, it is cleared. */
  clear(text: string): Promise<boolean>
}

type Tool = {
  readonly copy: readonly string[]
  /** Where it can tell what is there. */
  readonly paste?: readonly string[]
  /** Where an empty text is not enough: commands, and the text for each. */
  readonly clear?: readonly (readonly [command: readonly string[], text: string])[]
}

const apple: Tool = { copy: ['pbcopy'], paste: ['pbpaste'] }
const windows: Tool = {
  copy: ['clip.exe'],
  paste: ['powershell.exe', '-NoProfile', '-Command', 'Get-Clipboard'],
}
const wayland: Tool = {
  copy: ['wl-copy'],
  paste: ['wl-paste', '--no-newline'],
  clear: [[['wl-copy', '--clear'], '']],
}
const x11: readonly Tool[] = [
  { copy: ['xclip', '-selection', 'clipboard'], paste: ['xclip', '-selection', 'clipboard', '-o'] },
  {
    copy: ['xsel', '--clipboard', '--input'],
    paste: ['xsel', '--clipboard', '--output'],
    clear: [[['xsel', '--clipboard', '--clear'], '']],
  },
]

// A buffer of its own, which it also hands to the terminal around it, and of which nothing stays: by OSC 52 it would
// pile up a buffer each time, and keep them.
const tmuxBuffer = ['-b', 'orderctl']
const tmuxLoad = ['tmux', 'load-buffer', '-w', ...tmuxBuffer, '-']
const tmux: Tool = {
  copy: tmuxLoad,
  // It takes no empty text.
  clear: [
    [tmuxLoad, ' '],
    [['tmux', 'delete-buffer', ...tmuxBuffer], ''],
  ],
}

/** In the order in which they are tried. */
export const clipboardsOf = (context: Context): readonly Clipboard[] => {
  const { environment } = context
  const tools = toolsOf(context).map((tool) => byTool(context, tool))
  const terminal = [...(environment.TMUX ? [byTool(context, tmux)] : []), ...byTerminal(context)]
  // Over SSH a tool would reach the clipboard of the machine that is far away.
  const isFar = Boolean(environment.SSH_CONNECTION || environment.SSH_TTY)
  return isFar ? [...terminal, ...tools] : [...tools, ...terminal]
}

const toolsOf = ({ environment, platform }: Context): readonly Tool[] => {
  if (platform === 'darwin') return [apple]
  if (platform === 'win32') return [windows]
  return [
    ...(environment.WSL_DISTRO_NAME ? [windows] : []),
    ...(environment.WAYLAND_DISPLAY ? [wayland] : []),
    ...(environment.DISPLAY ? x11 : []),
  ]
}

const byTool = ({ pipe }: Context, { copy, paste, clear }: Tool): Clipboard => ({
  name: copy[0] ?? '',
  copy: async (text) => {
    if (copy === windows.copy && !/^[\x20-\x7e]*$/.test(text)) {
      throw new Error('it would change what is not ASCII')
    }
    await pipe(copy, text)
  },
  clear: async (text) => {
    const held = paste && (await pipe(paste).catch(() => undefined))
    if (held !== undefined && held.trimEnd() !== text.trimEnd()) return false
    for (const [command, nothing] of clear ?? [[copy, '']]) await pipe(command, nothing)
    return true
  },
})

const byTerminal = ({ stdout, stderr, environment }: Context): readonly Clipboard[] => {
  const output = [stdout, stderr].find(({ isTerminal }) => isTerminal)
  if (output === undefined || environment.TERM === 'dumb') return []
  const put = async (...texts: readonly string[]): Promise<void> => {
    output.write(buildClipboardSequence(texts, environment))
    await output.flushed()
  }
  return [
    {
      name: 'the terminal, if it allows that (OSC 52)',
      copy: (text) => put(text),
      clear: async () => {
        // Some take no empty text.
        await put(' ', '')
        return true
      },
    },
  ]
}
