// Tests as text. Below its title are the steps of a test, and after an arrow the result that a step must have:
//
//     == an unknown outcome holds the reference
//     place o1; confirm o1; end unknown; create → taken by o1
//
// `; ` ends a step if the next word is the name of a step.
import { expect, test } from 'vitest'

export type Step = {
  /** Without fields, labels and `again`. */
  readonly words: readonly string[]
  /** Everything after the name. */
  readonly text: string
  /** `at=5`, `name=eu` */
  readonly fields: Readonly<Record<string, string>>
  /** `#label` */
  readonly label: string
  readonly isAgain: boolean
  /** The result in the text. */
  readonly wanted: string | undefined
}

/** What each step does. A result that the text does not have fails the test, unless it is empty. */
export type Verbs = Readonly<Record<string, (step: Step) => Promise<unknown>>>

const splitSteps = (verbs: Verbs, line: string): string[] => {
  const steps: string[] = []
  for (const part of line.trim().split('; ')) {
    const last = steps.pop()
    if (last === undefined) steps.push(part)
    else if (Object.hasOwn(verbs, part.split(' ')[0] ?? '')) steps.push(last, part)
    else steps.push(`${last}; ${part}`)
  }
  return steps
}

export const runStep = async (verbs: Verbs, step: string): Promise<string> => {
  const [call = '', wanted] = step.split(' → ')
  const [verb = '', ...all] = call.split(' ')
  const run = verbs[verb]
  if (run === undefined) throw new Error(`there is no step '${verb}'`)
  const result = await run({
    words: all.filter((word) => !/[=#]|^again$/.test(word)),
    text: call.slice(verb.length + 1),
    fields: Object.fromEntries(
      all.filter((word) => word.includes('=')).map((word) => word.split(/=(.*)/).slice(0, 2)),
    ),
    label: all.find((word) => word.startsWith('#')) ?? '',
    isAgain: all.includes('again'),
    wanted,
  }).catch((error: Error) => `fails: ${error.message}`)
  return result === undefined || result === '' ? call : `${call} → ${result}`
}

/** Runs the steps and returns them with the results that they have. */
export const runScript = async (verbs: Verbs, text: string): Promise<string> => {
  const lines: string[] = []
  for (const line of text.trim().split('\n')) {
    const steps: string[] = []
    for (const step of splitSteps(verbs, line)) steps.push(await runStep(verbs, step))
    lines.push(steps.join('; '))
  }
  return lines.join('\n')
}

export const readScripts = (texts: string): (readonly [title: string, text: string])[] =>
  texts
    .split(/^ *== /m)
    .slice(1)
    .map((text) => {
      const [title = '', ...lines] = text.trim().split('\n')
      return [title, lines.map((line) => line.trim()).join('\n')] as const
    })

/** What steps do with their words. Only the results that the text has are compared. */
export type Acts = Readonly<Record<string, (words: string) => unknown>>

export const write = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Three digits are a status before any text, and `…` stands for any rest. */
const agrees = (wanted: string, found: string): boolean => {
  if (wanted.endsWith('…')) return found.startsWith(wanted.slice(0, -1))
  return wanted === (/^\d{3}$/.test(wanted) ? found.slice(0, 3) : found)
}

const toVerbs = (acts: Acts): Verbs =>
  Object.fromEntries(
    Object.entries(acts).map(([name, act]) => [
      name,
      async ({ text, wanted }: Step) => {
        const found = write(await act(text))
        if (wanted === undefined) return undefined
        return agrees(wanted, found) ? wanted : found
      },
    ]),
  )

export const expectSteps = async (acts: Acts, text: string): Promise<void> => {
  expect(await runScript(toVerbs(acts), text)).toBe(text)
}

/** One test for each title. */
export const testSteps = (texts: string, open: () => Acts | Promise<Acts>): void => {
  test.each(readScripts(texts))('%s', async (_title, text) => expectSteps(await open(), text))
}
