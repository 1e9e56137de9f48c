// Parses flag values. Collects every wrong flag, so that one error names them all.
import { durationForm, parseDuration } from '../../contract/duration.ts'
import { Failure } from '../../errors.ts'

export const totalForm = 'an amount such as 100 or 99.50'

export type FlagReader = ReturnType<typeof createFlagReader>

export const createFlagReader = (command: string, fix = `orderctl ${command} --help`) => {
  const problems: { readonly text: string; readonly field?: string }[] = []
  const read = <Value>(
    flag: string,
    text: string | undefined,
    parse: (text: string) => Value | undefined,
    allowed: string,
  ): Value | undefined => {
    const value = text === undefined ? undefined : parse(text)
    if (text !== undefined && value === undefined) {
      problems.push({ text: `${flag} is ${JSON.stringify(text)}; allowed: ${allowed}` })
    }
    return value
  }
  return {
    read,
    readDuration: (flag: string, text: string | undefined) => read(flag, text, parseDuration, durationForm),
    readTimeout: (flag: string, text: string | undefined) =>
      read(flag, text, parseTimeout, 'a duration such as 500ms, 2s or 11m, up to 30d'),
    readCount: (flag: string, text: string | undefined) =>
      read(flag, text, parseCount, 'a whole number from 1'),
    addProblem: (text: string, field?: string): void =>
      void problems.push(field === undefined ? { text } : { text, field }),
    /** Throws if any flag is wrong. */
    check: (): void => {
      const [only, ...others] = problems
      if (only === undefined) return
      const field = problems.find((problem) => problem.field !== undefined)?.field
      const details = { ...(field === undefined ? {} : { field }), fix }
      if (others.length === 0) throw new Failure('usage', only.text, details)
      const violations = problems.map(({ text }) => text)
      throw new Failure('usage', `${problems.length} flags are invalid`, { ...details, violations })
    },
  }
}

const longestTimeoutMs = 30 * 24 * 60 * 60 * 1000

const parseTimeout = (text: string): number | undefined => {
  const ms = parseDuration(text)
  return ms !== undefined && ms > 0 && ms <= longestTimeoutMs ? ms : undefined
}

const parseCount = (text: string): number | undefined =>
  /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined
