// Selects a card by the number that --card takes, and finds the clipboards: the tools of the platform, and the terminal
// (OSC 52). A tool gets a value only on its standard input, because every user of the machine can read arguments.

import path from 'node:path'
import type { Context } from '../context.ts'
import { Failure, type Fix } from '../errors.ts'
import { findWindowsProgram } from '../files.ts'
import type { OwnedCard } from '../ui/cards/card-fields.ts'
import { sanitize } from '../ui/terminal/text.ts'

type Clipboard = {
  readonly name: string
  copy(text: string): Promise<void>
  /** Returns false if the clipboard holds something else by now. Clears it if that cannot be known. */
  clear(text: string): Promise<boolean>
}

type Tool = {
  readonly copy: readonly string[]
  /** Prints the clipboard. */
  readonly paste?: readonly string[]
  /** The commands and their input, if copying an empty text does not clear the clipboard. */
  readonly clear?: readonly (readonly [command: readonly string[], text: string])[]
  /** Changes other characters. */
  readonly isAscii?: true
}

const apple: Tool = { copy: ['pbcopy'], paste: ['pbpaste'] }
const createWindowsTool = (find: (name: string) => string): Tool => ({
  copy: [find('clip.exe')],
  paste: [find('WindowsPowerShell/v1.0/powershell.exe'), '-NoProfile', '-Command', 'Get-Clipboard'],
  isAscii: true,
})
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

// A named buffer, which tmux also passes to the outer terminal. With OSC 52, tmux would keep a new buffer for each copy.
const tmuxBuffer = ['-b', 'orderctl']
const tmuxLoad = ['tmux', 'load-buffer', '-w', ...tmuxBuffer, '-']
const tmux: Tool = {
  copy: tmuxLoad,
  // tmux ignores an empty text.
  clear: [
    [tmuxLoad, ' '],
    [['tmux', 'delete-buffer', ...tmuxBuffer], ''],
  ],
}

const findTools = ({ environment, platform }: Context): readonly Tool[] => {
  if (platform === 'darwin') return [apple]
  if (platform === 'win32') return [createWindowsTool((name) => findWindowsProgram(name, environment))]
  return [
    // Linux runs nothing from the working directory.
    ...(environment.WSL_DISTRO_NAME ? [createWindowsTool(path.basename)] : []),
    ...(environment.WAYLAND_DISPLAY ? [wayland] : []),
    ...(environment.DISPLAY ? x11 : []),
  ]
}

const createToolClipboard = ({ pipe }: Context, { copy, paste, clear, isAscii }: Tool): Clipboard => ({
  name: path.basename(copy[0] ?? ''),
  copy: async (text) => {
    if (isAscii && !/^[\n\x20-\x7e]*$/.test(text)) {
      throw new Error('it would change characters outside ASCII')
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

const esc = '\u001b'

/** The terminal keeps the last text. tmux forwards a sequence to the terminal only inside a wrapper. */
const createSequence = (text: string, isInTmux: boolean): string => {
  const sequence = `${esc}]52;c;${Buffer.from(text).toString('base64')}\u0007`
  return isInTmux ? `${esc}Ptmux;${sequence.replaceAll(esc, esc + esc)}${esc}\\` : sequence
}

/** Returns undefined without a terminal. */
const createTerminalClipboard = ({ stdout, stderr, environment }: Context): Clipboard | undefined => {
  const output = [stdout, stderr].find(({ isTerminal }) => isTerminal)
  if (output === undefined || environment.TERM === 'dumb') return undefined
  const put = async (...texts: readonly string[]): Promise<void> => {
    output.write(texts.map((text) => createSequence(text, Boolean(environment.TMUX))).join(''))
    await output.flushed()
  }
  return {
    name: 'the terminal, if it allows that (OSC 52)',
    copy: (text) => put(text),
    // Some terminals ignore an empty text.
    clear: () => put(' ', '').then(() => true),
  }
}

/** Returns the clipboards in the order in which to try them. Throws if there is none. */
export const requireClipboards = (context: Context): readonly Clipboard[] => {
  const { TMUX, SSH_CONNECTION, SSH_TTY } = context.environment
  const tools = findTools(context).map((tool) => createToolClipboard(context, tool))
  const terminal = [
    TMUX ? createToolClipboard(context, tmux) : undefined,
    createTerminalClipboard(context),
  ].filter((each) => each !== undefined)
  // Over SSH, a tool would reach the clipboard of the remote machine.
  const clipboards = SSH_CONNECTION || SSH_TTY ? [...terminal, ...tools] : [...tools, ...terminal]
  if (clipboards.length > 0) return clipboards
  throw new Failure(
    'usage',
    'no clipboard found: the output is not a terminal, and no clipboard tool has a display',
    {
      field: '--copy',
      advice: 'Run it in a terminal, or install pbcopy, clip.exe, wl-copy, xclip or xsel.',
    },
  )
}

export const reasonOf = (error: unknown): string =>
  sanitize(error instanceof Error ? error.message : String(error))

export const copyToFirst = async (
  clipboards: readonly Clipboard[],
  text: string,
  { orderId, fix }: { readonly orderId: string; readonly fix: Fix },
): Promise<Clipboard> => {
  const reasons: string[] = []
  for (const clipboard of clipboards) {
    try {
      await clipboard.copy(text)
      return clipboard
    } catch (error) {
      reasons.push(`${clipboard.name}: ${reasonOf(error)}`)
    }
  }
  throw new Failure('output-lost', 'nothing was copied, because every clipboard failed', {
    field: '--copy',
    orderId,
    violations: reasons,
    fix,
  })
}

export type NumberedCard = { readonly number: number; readonly card: OwnedCard }

/** Without a number, all cards. */
export const selectByNumber = (
  cards: readonly (OwnedCard & { readonly number: number })[],
  number: number | undefined,
  orderId: string,
): readonly NumberedCard[] => {
  const numbered = cards.map((card) => ({ number: card.number, card }))
  if (number === undefined) return numbered
  const found = numbered.filter((each) => each.number === number)
  if (found.length === 1) return found
  if (found.length > 1) {
    // A card was not listed for a while, and a new one got its number: it may have been the same card.
    throw new Failure('refused', `${found.length} cards of the order have the number ${number}`, {
      field: '--card',
      orderId,
      advice: 'The service has changed the list of cards. Show all of them with --reveal.',
    })
  }
  const numbers = cards.map((card) => card.number).join(', ')
  const advice =
    cards.length === 0 ? 'The order has no cards.' : `Use one of these numbers, as in redeem: ${numbers}`
  throw new Failure('usage', `there is no card ${number}`, { field: '--card', orderId, advice })
}
