// Renders an error as text or JSON: what is wrong, the field, and what to type next.
import type { Failure } from '../../errors.ts'
import { safeJson, safeLines, safeText } from '../terminal/safe-text.ts'
import { type Theme, themeFor } from '../terminal/theme.ts'

/** What was typed may be pages long: its beginning and its end tell enough. */
const shortened = (text: string): string =>
  text.replace(/\S{300,}/g, (word) => `${word.slice(0, 100)}…${word.slice(-100)}`.toWellFormed())

const longestTrace = 10

/** The stack of a defect, then the stacks of its causes. */
const stacksOf = ({ kind, cause }: Failure): string[] => {
  const stacks: string[] = []
  for (let error = cause; error !== undefined && kind === 'internal'; ) {
    stacks.push(error instanceof Error ? (error.stack ?? String(error)) : String(error))
    // Causes may form a cycle.
    error = error instanceof Error && stacks.length < longestTrace ? error.cause : undefined
  }
  return stacks
}

const failureText = (failure: Failure, theme: Theme, debug: boolean): string => {
  const { message, details } = failure
  const lines = [`${theme.bad('error:')} ${safeText(shortened(message))}`]
  for (const violation of details.violations ?? []) lines.push(`  ${safeText(shortened(violation))}`)
  const stacks = debug ? stacksOf(failure) : []
  for (const [index, stack] of stacks.entries())
    lines.push(`${index === 0 ? '' : 'caused by: '}${safeLines(stack)}`)
  if (details.fix !== undefined) lines.push(`${theme.strong('try:')} ${safeText(shortened(details.fix))}`)
  return `${lines.join('\n')}\n`
}

const failureJson = (failure: Failure, debug: boolean): string => {
  const { kind, message, details } = failure
  const { status, field, fix, orderId, safeFrom, violations, retryable = false } = details
  const [stack, ...causes] = debug ? stacksOf(failure) : []
  const error = {
    code: kind,
    message: shortened(message),
    status,
    field,
    fix,
    orderId,
    safeFrom,
    violations,
    retryable,
    stack,
    causes: causes.length === 0 ? undefined : causes,
  }
  return `${safeJson(JSON.stringify({ error }))}\n`
}

export const failureFor = (
  failure: Failure,
  output: { readonly colour: boolean },
  json: boolean,
  debug = false,
): string => (json ? failureJson(failure, debug) : failureText(failure, themeFor(output), debug))
