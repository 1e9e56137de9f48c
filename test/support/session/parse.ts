// Reads a file of sessions (see test/README.md) and writes it again with other outputs.

/** A line that a person wrote, and the lines below it that the run produced. */
export type Step = {
  /** Counted from 1. */
  readonly line: number
  /** Comments and empty lines above the step. */
  readonly above: readonly string[]
  readonly text: string
  /** The lines of a file, below `file NAME`. */
  readonly content: readonly string[]
  /** What the person types at the prompts of the command. */
  readonly answers: readonly string[]
  readonly output: readonly string[]
}

export type Session = {
  readonly line: number
  readonly title: string
  readonly steps: readonly Step[]
  /** Comments and empty lines below the last step. */
  readonly below: readonly string[]
}

export type SessionFile = { readonly above: readonly string[]; readonly sessions: readonly Session[] }

/** Separates a question from the response. */
export const promptSign = ' › '

const outputForm = /^(?:\?|>>?|!!?|::?)(?: |$)|^sent /
const contentForm = /^\|(?: |$)/

export const parseSessions = (text: string): SessionFile => {
  const lines = text.replace(/\n$/, '').split('\n')
  const fileAbove: string[] = []
  const sessions: { line: number; title: string; steps: Step[]; below: string[] }[] = []
  let above: string[] = []
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? ''
    const session = sessions.at(-1)
    if (line.startsWith('== ')) {
      ;(session?.below ?? fileAbove).push(...above)
      above = []
      sessions.push({ line: index + 1, title: line.slice(3), steps: [], below: [] })
    } else if (line === '' || line.startsWith('#')) above.push(line)
    else if (session === undefined) throw new Error(`line ${index + 1} is above the first session: ${line}`)
    else {
      const start = index
      const takeWhile = (isTaken: (next: string) => boolean): string[] => {
        const first = index + 1
        while (index + 1 < lines.length && isTaken(lines[index + 1] ?? '')) index += 1
        return lines.slice(first, index + 1)
      }
      const parts = [line, ...takeWhile(() => lines[index]?.endsWith(' \\') === true)]
      const content = takeWhile((next) => contentForm.test(next)).map((each) => each.slice(2))
      const output = takeWhile((next) => outputForm.test(next))
      const answers = output
        .filter((each) => each.startsWith(':') && `${each} `.includes(promptSign))
        .map((each) => `${each} `.split(promptSign).at(-1)?.trim() ?? '')
      session.steps.push({ line: start + 1, above, text: parts.join('\n'), content, answers, output })
      above = []
    }
  }
  ;(sessions.at(-1)?.below ?? fileAbove).push(...above)
  return { above: fileAbove, sessions }
}

/** The text of the file, in which `outputOf` replaces what the steps printed. */
export const formatSessions = (file: SessionFile, outputOf: (step: Step) => readonly string[]): string => {
  const lines = file.sessions.flatMap(({ title, steps, below }) => [
    `== ${title}`,
    ...steps.flatMap((step) => [
      ...step.above,
      step.text,
      ...step.content.map((each) => `| ${each}`.trimEnd()),
      ...outputOf(step),
    ]),
    ...below,
  ])
  return `${[...file.above, ...lines].join('\n')}\n`
}
