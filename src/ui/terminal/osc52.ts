// Escape sequences that put a text on the clipboard of the terminal (OSC 52).

const esc = '\u001b'

type Variables = Readonly<Record<string, string | undefined>>

/** The terminal keeps the last text. */
export const buildClipboardSequence = (texts: readonly string[], variables: Variables): string =>
  texts
    .map((text) => wrapForMultiplexer(`${esc}]52;c;${Buffer.from(text).toString('base64')}\u0007`, variables))
    .join('')

/** tmux and screen forward a sequence to the terminal only inside a wrapper. */
const wrapForMultiplexer = (sequence: string, { TMUX, STY }: Variables): string => {
  if (TMUX) return `${esc}Ptmux;${sequence.replaceAll(esc, esc + esc)}${esc}\\`
  return STY ? `${esc}P${sequence}${esc}\\` : sequence
}
