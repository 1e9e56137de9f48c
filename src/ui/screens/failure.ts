// Renders a failure as text or JSON: what is wrong, and what to do next.
import { type Failure, writeFix } from '../../errors.ts'
import type { Suggest } from '../../text/suggest.ts'
import { safeLines, sanitize, sanitizeJson } from '../terminal/sanitize.ts'
import { wrapProse } from '../terminal/text-width.ts'
import { type Theme, themeFor } from '../terminal/view.ts'

/** Shortens long words, because an argument may fill pages. */
const shortenWords = (text: string): string =>
  text.replace(/\S{300,}/g, (word) => `${word.slice(0, 100)}…${word.slice(-100)}`.toWellFormed())

const maxStacks = 10

/** The stack of a defect, then the stacks of its causes. */
const listStacks = ({ kind, cause }: Failure): string[] => {
  const stacks: string[] = []
  for (let error = cause; error !== undefined && kind === 'internal'; ) {
    stacks.push(error instanceof Error ? (error.stack ?? String(error)) : String(error))
    // Causes may form a cycle.
    error = error instanceof Error && stacks.length < maxStacks ? error.cause : undefined
  }
  return stacks
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const maxViolations = 20

/** An input file may have thousands. */
const listViolations = ({ details: { violations = [] } }: Failure): readonly string[] => {
  const more = violations.length - maxViolations
  if (more <= 0) return violations
  return [
    ...violations.slice(0, maxViolations),
    `… and ${more.toLocaleString('en-US')} more; --json shows all`,
  ]
}

type Fixed = {
  readonly failure: Failure
  readonly fix: string | undefined
  readonly debug: boolean
  readonly warnings: readonly string[]
}

const renderForPeople = ({ failure, fix, debug }: Fixed, theme: Theme, width: number): string => {
  const wrap = (text: string, indent = ''): string =>
    wrapProse(`${indent}${sanitize(shortenWords(text))}`, width)
      .map((line) => `${line}\n`)
      .join('')
  // Whoever stops orderctl knows that it did not finish.
  const isError = failure.kind !== 'interrupted' && failure.kind !== 'terminated'
  const message = isError ? `error: ${failure.message}` : capitalize(failure.message)
  const first = wrap(message).replace(/^error:/, theme.bad('error:'))
  const violations = listViolations(failure).map((violation) => wrap(violation, '  '))
  const stacks = (debug ? listStacks(failure) : []).map(
    (stack, index) => `${index === 0 ? '' : 'caused by: '}${safeLines(stack)}\n`,
  )
  const advice = fix === undefined ? '' : wrap(`try: ${fix}`).replace('try:', theme.strong('try:'))
  return [first, ...violations, ...stacks, advice].join('')
}

const failureJson = ({ failure, fix, debug, warnings }: Fixed): string => {
  const { kind, message, details } = failure
  const { status, field, orderId, safeFrom, budget, violations, retryable = false } = details
  const [stack, ...causes] = debug ? listStacks(failure) : []
  const error = {
    code: kind,
    message: shortenWords(message),
    status,
    field,
    fix,
    orderId,
    safeFrom,
    budget: budget && { ...budget, text: undefined },
    violations,
    retryable,
    warnings: warnings.length === 0 ? undefined : warnings,
    stack,
    causes: causes.length === 0 ? undefined : causes,
  }
  return `${sanitizeJson(JSON.stringify({ error }))}\n`
}

type Output = {
  readonly colour: boolean
  readonly isTerminal?: boolean
  readonly width?: number
  readonly warnings?: readonly string[] | undefined
}
type Target = { readonly stderr: Output; readonly suggest: Suggest }

/** Lines are wrapped on a terminal only, so that scripts and logs get whole lines. */
export const renderFailure = (
  failure: Failure,
  { stderr, suggest }: Target,
  json: boolean,
  debug = false,
): string => {
  const { warnings = [] } = stderr
  const fixed = { failure, fix: writeFix(failure.details.fix, suggest), debug, warnings }
  if (json) return failureJson(fixed)
  const { isTerminal = false, width = Number.POSITIVE_INFINITY } = stderr
  return renderForPeople(fixed, themeFor(stderr), isTerminal ? width : Number.POSITIVE_INFINITY)
}
