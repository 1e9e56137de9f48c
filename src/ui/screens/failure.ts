// Renders a failure as text or JSON: what is wrong, a command to type, and advice.
import { type Failure, writeRemedy } from '../../errors.ts'
import type { Suggest } from '../../text/suggest.ts'
import type { Writer } from '../terminal/io.ts'
import { safeLines, sanitize, sanitizeJson, wrapProse } from '../terminal/text.ts'
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

/** An input file may have thousands of violations. */
const maxViolations = 20

type Explained = {
  readonly failure: Failure
  readonly remedy: ReturnType<typeof writeRemedy>
  readonly stacks: readonly string[]
}

const renderForPeople = ({ failure, remedy, stacks }: Explained, theme: Theme, width: number): string => {
  const wrap = (text: string, indent = ''): string =>
    wrapProse(`${indent}${sanitize(shortenWords(text))}`, width)
      .map((line) => `${line}\n`)
      .join('')
  // Whoever stops orderctl knows that it did not finish.
  const isError = failure.kind !== 'interrupted' && failure.kind !== 'terminated'
  const message = isError
    ? `error: ${failure.message}`
    : failure.message.replace(/^./, (first) => first.toUpperCase())
  const first = wrap(message).replace(/^error:/, theme.bad('error:'))
  const { fix, advice } = remedy
  const { violations = [] } = failure.details
  const shown = violations.slice(0, maxViolations)
  const more = violations.length - shown.length
  if (more > 0) shown.push(`… and ${more.toLocaleString('en-US')} more; --json shows all`)
  return [
    first,
    ...shown.map((violation) => wrap(violation, '  ')),
    ...stacks.map((stack, index) => `${index === 0 ? '' : 'caused by: '}${safeLines(stack)}\n`),
    // On one line, so that it can be copied.
    fix === undefined ? '' : `${theme.strong('try:')} ${sanitize(fix)}\n`,
    advice === undefined ? '' : wrap(advice),
  ].join('')
}

const failureJson = ({ failure, remedy, stacks }: Explained, warnings: readonly string[]): string => {
  const { kind, reason, message, details } = failure
  const { status, field, orderId, safeFrom, budget, role, violations, retryable = false } = details
  const [stack, ...causes] = stacks
  const error = {
    code: kind,
    reason,
    message: shortenWords(message),
    status,
    field,
    ...remedy,
    orderId,
    safeFrom,
    budget: budget && { ...budget, text: undefined },
    role,
    violations,
    retryable,
    warnings: warnings.length === 0 ? undefined : warnings,
    stack,
    causes: causes.length === 0 ? undefined : causes,
  }
  return `${sanitizeJson(JSON.stringify({ error }))}\n`
}

type Output = Pick<Writer, 'colour'> & Partial<Pick<Writer, 'isTerminal' | 'width' | 'warnings'>>
type Target = { readonly stderr: Output; readonly suggest: Suggest }

/** Lines are wrapped on a terminal only, so that scripts and logs get whole lines. */
export const renderFailure = (failure: Failure, target: Target, json: boolean, debug = false): string => {
  const { stderr, suggest } = target
  const remedy = writeRemedy(failure.details, suggest)
  const explained = { failure, remedy, stacks: debug ? listStacks(failure) : [] }
  const { isTerminal = false, width = Number.POSITIVE_INFINITY, warnings = [] } = stderr
  if (json) return failureJson(explained, warnings)
  return renderForPeople(explained, themeFor(stderr), isTerminal ? width : Number.POSITIVE_INFINITY)
}
