// Tests as text. A line without indentation is the title of a test. Its steps are below it, separated by ` | `. A step
// can end in `→` and its result: three digits compare only the start, and `…` stands for any rest.
import { expect, test } from 'vitest'

/** What each step does. Its result is compared as text. */
export type Acts = Readonly<Record<string, (words: string) => unknown>>

export const write = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const agrees = (wanted: string, found: string): boolean => {
  if (wanted.endsWith('…')) return found.startsWith(wanted.slice(0, -1))
  return wanted === (/^\d{3}$/.test(wanted) ? found.slice(0, 3) : found)
}

/** Takes the steps, and compares their results with those of the text. */
export const takeSteps = async (steps: readonly string[], acts: Acts): Promise<void> => {
  const found: string[] = []
  for (const step of steps) {
    const [given = '', wanted] = step.split(' → ')
    const [, name = '', words = ''] = /^(\S+) ?(.*)$/.exec(given) ?? []
    const result = write(await (acts[name] ?? expect.fail(`no such step: ${given}`))(words))
    found.push(wanted === undefined || agrees(wanted, result) ? step : `${given} → ${result}`)
  }
  expect(found).toEqual(steps)
}

export const readHistories = (text: string): { title: string; steps: string[] }[] => {
  const histories: { title: string; steps: string[] }[] = []
  for (const each of text.split('\n').filter((row) => row.trim() !== '')) {
    const steps = each.trim().split(' | ')
    if (each.startsWith(' ')) histories.at(-1)?.steps.push(...steps)
    else histories.push({ title: each, steps: [] })
  }
  return histories
}

/** One test for each history. */
export const testSteps = (text: string, open: () => Acts | Promise<Acts>): void => {
  test.each(readHistories(text))('$title', async ({ steps }) => takeSteps(steps, await open()))
}
