// An error as a person and as a script see it: what is wrong, where, and what to type next.
import type { Failure } from '../../errors.ts'
import { safeJson, safeText } from '../terminal/safe-text.ts'
import { type Theme, themeFor } from '../terminal/theme.ts'

/** What was typed may be pages long: its beginning and its end tell enough. */
const shortened = (text: string): string =>
  text.replace(/\S{300,}/g, (word) => `${word.slice(0, 100)}…${word.slice(-100)}`.toWellFormed())

const failureText = ({ message, details }: Failure, theme: Theme): string => {
  const lines = [`${theme.bad('error:')} ${safeText(shortened(message))}`]
  for (const violation of details.violations ?? []) lines.push(`  ${safeText(shortened(violation))}`)
  if (details.fix !== undefined) lines.push(`${theme.strong('try:')} ${safeText(shortened(details.fix))}`)
  return `${lines.join('\n')}\n`
}

const failureJson = ({ kind, message, details }: Failure): string => {
  const { status, field, fix, orderId, safeFrom, violations, retryable = false } = details
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
  }
  return `${safeJson(JSON.stringify({ error }))}\n`
}

export const failureFor = (failure: Failure, output: { readonly colour: boolean }, json: boolean): string =>
  json ? failureJson(failure) : failureText(failure, themeFor(output))
