// Renders a failure as text or JSON: what is wrong, a command to type, and advice.
import { writeJson } from '../../contract/json.ts'
import { type BudgetDetails, exitCodes, type Failure, writeRemedy } from '../../errors.ts'
import type { Suggest } from '../../text/suggest.ts'
import type { Writer } from '../terminal/io.ts'
import { safeLines, sanitize, sanitizeJson, wrapProse } from '../terminal/text.ts'
import { type Theme, themeFor } from '../terminal/view.ts'
import { listOf, pick, type ResultFields, readSparse, sparse, wordOf } from '../text/result-fields.ts'

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
  readonly warnings: readonly string[]
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

const budgetFields: ResultFields<BudgetDetails> = pick((budget: BudgetDetails) => budget, {
  per: ['text', 'order, day, week or month'],
  currency: ['text', 'of the amounts'],
  amount: ['amount', 'the budget'],
  left: ['amount', 'what is left of it'],
  endsAt: ['time', 'when the next period begins'],
})

const listOrNone = <Item>(all: readonly Item[]): readonly Item[] | undefined =>
  all.length === 0 ? undefined : all

const errorFields: ResultFields<Explained> = [
  ['code', wordOf(...Object.keys(exitCodes)), 'the name of the exit code', ({ failure }) => failure.kind],
  ['reason', 'text', 'why; see the list of reasons', ({ failure }) => failure.reason],
  ['message', 'text', 'what happened', ({ failure }) => shortenWords(failure.message)],
  ['httpStatus', 'count', "of the service's response", ({ failure }) => failure.details.status],
  ...pick(({ failure }: Explained) => failure.details, {
    field: ['text', 'the flag, file, variable or path that is wrong'],
  }),
  ...pick(({ remedy }: Explained) => remedy, {
    fix: ['text', 'a command to type'],
    advice: ['text', 'what to do'],
  }),
  ...pick(({ failure }: Explained) => failure.details, {
    orderId: ['text', 'the order'],
    money: [wordOf('unspent', 'not-confirmed-so-far', 'maybe', 'spent'), 'what is known of its payment'],
    safeFrom: ['time', 'when reconcile can first prove what was spent, or a person can settle the order'],
    budget: [sparse(budgetFields, 'per', 'currency', 'amount', 'left'), 'the budget that does not allow it'],
    role: ['text', 'the database role that a limit of its own stops'],
    violations: [listOf('text'), 'everything that is wrong with a document'],
  }),
  [
    'retryable',
    'flag',
    'the same command may succeed later',
    ({ failure }) => failure.details.retryable ?? false,
  ],
  ['warnings', listOf('text'), 'warnings', ({ warnings }) => listOrNone(warnings)],
  ['stack', 'text', 'with --debug, of a defect', ({ stacks }) => stacks[0]],
  ['causes', listOf('text'), 'with --debug, their stacks', ({ stacks }) => listOrNone(stacks.slice(1))],
]

export const errorType = sparse(errorFields, 'code', 'reason', 'message', 'retryable')

type Output = Pick<Writer, 'colour'> & Partial<Pick<Writer, 'isTerminal' | 'width' | 'warnings'>>
type Target = { readonly stderr: Output; readonly suggest: Suggest }

/** Lines are wrapped on a terminal only, so that scripts and logs get whole lines. */
export const renderFailure = (failure: Failure, target: Target, json: boolean, debug = false): string => {
  const { stderr, suggest } = target
  const remedy = writeRemedy(failure.details, suggest)
  const { isTerminal = false, width = Number.POSITIVE_INFINITY, warnings = [] } = stderr
  const explained = { failure, remedy, warnings, stacks: debug ? listStacks(failure) : [] }
  if (json) return `${sanitizeJson(writeJson({ error: readSparse(errorFields, explained) }))}\n`
  return renderForPeople(explained, themeFor(stderr), isTerminal ? width : Number.POSITIVE_INFINITY)
}
