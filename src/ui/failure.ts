// An error as a person and as a script see it: what is wrong, where, and what to type next.
import type { Failure } from '../errors.ts'
import { safeJson, safeText } from './safe-text.ts'
import { type Theme, themeFor } from './theme.ts'

const failureText = ({ message, details }: Failure, theme: Theme): string => {
  const lines = [`${theme.bad('error:')} ${safeText(message)}`]
  for (const violation of details.violations ?? []) lines.push(`  ${safeText(violation)}`)
  if (details.fix !== undefined) lines.push(`${theme.strong('try:')} ${safeText(details.fix)}`)
  return `${lines.join('\n')}\n`
}

const failureJson = ({ kind, message, details }: Failure): string => {
  const { status, field, fix, orderId, violations, retryable = false } = details
  const error = { code: kind, message, status, field, fix, orderId, violations, retryable }
  return `${safeJson(JSON.stringify({ error }))}\n`
}

export const failureFor = (failure: Failure, output: { readonly colour: boolean }, json: boolean): string =>
  json ? failureJson(failure) : failureText(failure, themeFor(output))
