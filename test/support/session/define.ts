// A test for each session of a file. `--update=all` writes what the commands print into the file.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { formatSessions, parseSessions, type Session, type Step } from './parse.ts'
import { runSession } from './run.ts'

/** Marks the lines that are missing with - and those that are new with +. */
export const diffLines = (expected: readonly string[], actual: readonly string[]): string[] => {
  const [first, ...rest] = expected
  if (first === undefined) return actual.map((line) => `+ ${line}`)
  const at = actual.indexOf(first)
  if (at === -1) return [`- ${first}`, ...diffLines(rest, actual)]
  const added = actual.slice(0, at).map((line) => `+ ${line}`)
  return [...added, `  ${first}`, ...diffLines(rest, actual.slice(at + 1))]
}

/** Says where a session differs from its file. vitest shows the line of the stack. */
const createDifference = (file: string, step: Step, output: readonly string[]): Error => {
  const lines = [`  ${step.text}`, ...diffLines(step.output, output)]
  const place = `${path.relative('.', file)}:${step.line}`
  const error = new Error(
    `${place}\n${lines.join('\n')}\nIf this is right: npx vitest run --config test/vitest.config.ts --update=all ${path.relative('.', file)}`,
  )
  error.stack = `${error.name}: ${error.message}\n    at ${file}:${step.line}:1`
  return error
}

/** Throws at the first difference. */
export const checkSession = async (file: string, { steps }: Pick<Session, 'steps'>): Promise<void> => {
  const differing: Error[] = []
  await runSession(steps, (step, output) => {
    if (output.join('\n') !== step.output.join('\n')) differing.push(createDifference(file, step, output))
    return differing.length === 0
  })
  if (differing[0] !== undefined) throw differing[0]
}

/** vitest has no public way to ask for its `--update`. */
const isUpdating = (): boolean =>
  (expect.getState().snapshotState as unknown as { _updateSnapshot: string })._updateSnapshot === 'all'

export const defineSessions = (file: string): void => {
  const text = readFileSync(file, 'utf8')
  const parsed = parseSessions(text)
  const outputs = new Map<Step, readonly string[]>()
  test.each(parsed.sessions.map((session) => [session.title, session] as const))('%s', async (_, session) => {
    if (!isUpdating()) return checkSession(file, session)
    await runSession(session.steps, (step, output) => {
      outputs.set(step, output)
      return true
    })
  })
  afterAll(() => {
    const written = formatSessions(parsed, (step) => outputs.get(step) ?? step.output)
    if (outputs.size > 0 && written !== text) writeFileSync(file, written)
  })
}
