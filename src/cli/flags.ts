// Flags that several commands have, and kinds of values: how they are parsed, and what is allowed.

import { parseWebhookHost, webhookHostForm } from '../contract/limits.ts'
import { parseLimit } from '../contract/money/decimal.ts'
import { durationForm, parseDuration, parseTimeout, timeoutForm } from '../contract/time.ts'
import { Failure } from '../errors.ts'
import { parseProduct, productForm } from '../text/flags.ts'
import { sanitize } from '../ui/terminal/text.ts'
import type { FieldPath } from '../ui/text/result-fields.ts'

const orderForms = 'an order id, @last (the last order that you placed),'
const pickedByDefault = '(default on a terminal: a list of recent orders)'
export const orderOrBatchForms = `${orderForms} ref:REFERENCE, or batch:NAME`
/** For commands that read only the journal. */
export const listedOrderForms = `${orderForms} or ref:REFERENCE`
/** For commands that list recent orders if none is named. */
export const pickedOrderForms = `${orderForms} or ref:REFERENCE ${pickedByDefault}`
export const pickedOrderOrBatchForms = `${orderOrBatchForms} ${pickedByDefault}`

/** In milliseconds. */
const timeLimit = { takes: '<duration>', parse: parseTimeout, allowed: timeoutForm } as const
export const wait = { ...timeLimit, help: 'time limit of the wait (default: 30m without a change)' } as const
export const timeout = {
  ...timeLimit,
  advanced: true,
  help: 'time limit of one call (default: 45s for create and confirm, 30s for get)',
} as const

/** Flags of every command that calls the service. */
export const callFlags = {
  timeout,
  allowHttp: { advanced: true, help: 'allow sending the key over plain http to another machine' },
  debug: { advanced: true, help: 'trace requests on stderr, without credentials and codes' },
} as const

export const profile = {
  group: 'Common',
  takes: '<name>',
  help: 'profile to use (default: the profile in use)',
} as const

/** Flags of every command that acts on one account. */
export const account = { profile, ...callFlags } as const

/** `examples`: those of its help. */
export const fieldsFlag = (examples: string) =>
  ({
    group: 'Output',
    takes: '<paths>',
    help: `with --json, only these fields: ${examples}`,
    parse: parseFields,
    needs: { oneOf: ['json'] },
  }) as const

/** Flags of every command that prints orders: the examples of --fields, and what --quiet prints. */
export const output = <const Ids extends string>(examples: string, ids: Ids) =>
  ({
    fields: fieldsFlag(examples),
    quiet: {
      group: 'Output',
      short: '-q',
      help: `print only ${ids}`,
      excludes: { json: `prints only ${ids}` },
    },
  }) as const

/** The account and output flags of a command that prints order ids with --quiet. */
export const orderFlags = (examples: string) => ({ ...account, ...output(examples, 'ids') }) as const

export const reveal = {
  help: 'show codes, PINs, serial numbers and links',
  act: 'reveal codes of a real account',
} as const
export const noInput = { group: 'Common', help: 'never prompt' } as const
export const yes = { short: '-y', help: 'spend without a prompt' } as const

/** Kinds of values: how they are parsed, and what is allowed. */
export const positiveCount = {
  takes: '<number>',
  parse: (text: string) => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined),
  allowed: 'a whole number from 1',
} as const

export const products = {
  takes: '<product>',
  help: 'SKU:QUOTE[xQUANTITY][/TYPE]',
  repeats: true,
  parse: parseProduct,
  allowed: productForm,
} as const

export const maxTotal = {
  takes: '<amount>',
  help: 'do not confirm a total above this (wallet currency)',
  parse: parseLimit,
  allowed: 'an amount such as 100 or 99.50, with at most 6 decimals',
} as const

export const acceptWebhook = {
  advanced: true,
  takes: '<host>',
  help: 'let a webhook on this host get the codes',
  parse: parseWebhookHost,
  allowed: webhookHostForm,
} as const

/** In milliseconds. */
export const duration = { takes: '<duration>', parse: parseDuration, allowed: durationForm } as const

/** For commands with --watch. */
export const watchWait = { ...wait, needs: { oneOf: ['watch'] } } as const

export const wallet = {
  takes: '<currency>',
  help: 'wallet to pay from (default: that of the profile)',
} as const

/** For commands with --idempotent. */
export const retryFor = {
  ...duration,
  advanced: true,
  help: 'with --idempotent: how long to retry while the service is unavailable (default: 0; 2m if CI is set)',
  needs: { oneOf: ['idempotent'], because: 'repeats the command' },
} as const

/** One of a closed list. */
export const oneOfWords = <const Words extends readonly string[]>(words: Words) => ({
  takes: `<${words.join('|')}>`,
  parse: (text: string): Words[number] | undefined => words.find((word) => word === text),
  allowed: words.join(', '),
})

export const port = {
  takes: '<number>',
  parse: (text: string) => (/^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined),
  allowed: 'a whole number from 0 to 65535; 0 picks a free one',
} as const

/** Reads `id,total,service.products["A.B,C"].sku`. */
export const parseFields = (text: string): FieldPath[] => {
  const step = /\s*(?:\[("(?:[^"\\]|\\.)*")\]|([^.,[\]\s][^.,[\]]*))\s*(\.(?=\s*[^\s.,])|,|$|(?=\[))/y
  const paths: string[][] = [[]]
  while (step.lastIndex < text.length || text === '') {
    const at = step.lastIndex
    const [, quoted, plain = '', end] = step.exec(text) ?? []
    if (end === undefined)
      throw fieldsFailure(
        `--fields: cannot read '${sanitize(text.slice(at))}'`,
        'Write paths such as id,total or service.products["A.B"].sku.',
      )
    paths.at(-1)?.push(quoted === undefined ? plain.trim() : parseKey(quoted))
    if (end === ',') paths.push([])
  }
  if (paths.at(-1)?.length === 0)
    throw fieldsFailure('--fields ends with a comma', 'Write paths such as id,total.')
  return paths
}

const parseKey = (quoted: string): string => {
  try {
    return JSON.parse(quoted)
  } catch {
    throw fieldsFailure(`--fields: ${sanitize(quoted)} is not a valid JSON string`)
  }
}

const fieldsFailure = (message: string, advice?: string): Failure =>
  new Failure('usage', message, { field: '--fields', advice })
