// Reads flags that are texts into values: every wrong one is named, not the first alone.
import { durationForm, parseDuration } from '../../contract/duration.ts'
import { Failure } from '../../errors.ts'

export const totalForm = 'an amount such as 100 or 99.50'

/** Without a command, of flags that all have. */
export const flagReader = (command?: string) => {
  const problems: string[] = []
  const read = <Value>(
    flag: string,
    text: string | undefined,
    parse: (text: string) => Value | undefined,
    allowed: string,
  ): Value | undefined => {
    const value = text === undefined ? undefined : parse(text)
    if (text !== undefined && value === undefined) {
      problems.push(`${flag} is ${JSON.stringify(text)}; allowed: ${allowed}`)
    }
    return value
  }
  return {
    read,
    duration: (flag: string, text: string | undefined) => read(flag, text, parseDuration, durationForm),
    /** One that leaves time for anything at all. */
    timeout: (flag: string, text: string | undefined) =>
      read(flag, text, usableTimeout, 'a length of time such as 500ms, 2s or 11m, up to 30d'),
    /** From 1. */
    count: (flag: string, text: string | undefined) => read(flag, text, wholeCount, 'a whole number from 1'),
    problem: (text: string): void => void problems.push(text),
    /** Throws where anything was wrong. */
    check: (): void => {
      const fix = command === undefined ? 'orderctl --help' : `orderctl ${command} --help`
      const [only, ...others] = problems
      if (only === undefined) return
      throw others.length === 0
        ? new Failure('usage', only, { fix })
        : new Failure('usage', `${problems.length} flags are wrong`, { violations: problems, fix })
    },
  }
}

const longestTimeoutMs = 30 * 24 * 60 * 60 * 1000

const usableTimeout = (text: string): number | undefined => {
  const ms = parseDuration(text)
  return ms !== undefined && ms > 0 && ms <= longestTimeoutMs ? ms : undefined
}

const wholeCount = (text: string): number | undefined =>
  /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined
