// A text for the terminal's own clipboard (OSC 52), as the terminal reads it.

const esc = '\u001b'

type Variables = Readonly<Record<string, string | undefined>>

/** One after another; the last one stays. */
export const clipboardSequence = (texts: readonly string[], around: Variables): string =>
  texts.map((text) => through(`${esc}]52;c;${Buffer.from(text).toString('base64')}\u0007`, around)).join('')

/** tmux and screen pass on what is wrapped. */
const through = (sequence: string, { TMUX, STY }: Variables): string => {
  if (TMUX) return `${esc}Ptmux;${sequence.replaceAll(esc, esc + esc)}${esc}\\`
  return STY ? `${esc}P${sequence}${esc}\\` : sequence
}
