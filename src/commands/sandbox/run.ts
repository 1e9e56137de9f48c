// orderctl sandbox: shows the built-in service, resets it, or advances its clock.

import { openSandbox } from '../../app/account.ts'
import { journalsOf } from '../../app/journal/open-journal.ts'
import { sandboxOwner } from '../../app/journal/place.ts'
import type { Context } from '../../context.ts'
import { readJson } from '../../contract/json.ts'
import { durationForm, parseDuration } from '../../contract/time/duration.ts'
import { Failure } from '../../errors.ts'
import { deleteOrders } from '../../journal/tables/list.ts'
import { viewOf } from '../../ui/terminal/view.ts'
import { renderJson } from '../../ui/text/json.ts'
import { renderSandbox, type SandboxState } from './screen.ts'
import type { AdvanceOptions, SandboxOptions } from './spec.ts'

/** Calls the control interface of the sandbox. Returns the response. */
const callControl = async (
  context: Context,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> => {
  using sandbox = await openSandbox(context)
  const response = await sandbox.transport({
    ...{ method, path: `/_mock${path}`, headers: { 'content-type': 'application/json' } },
    body: JSON.stringify(body),
  })
  const document = readJson(response.body) as Record<string, unknown>
  if (response.status === 200) return document
  throw new Failure('usage', String(document.message))
}

export const showSandbox = async (context: Context, { json }: SandboxOptions): Promise<void> => {
  const state = await callControl(context, 'GET', '/state?limit=10')
  const { products } = await callControl(context, 'GET', '/catalogue')
  const shown = { ...state, products }
  context.stdout.write(
    json ? renderJson(shown) : renderSandbox(shown as unknown as SandboxState, viewOf(context)),
  )
}

export const resetSandbox = async (context: Context, { json }: SandboxOptions): Promise<void> => {
  await callControl(context, 'POST', '/reset', {})
  const journals = journalsOf(context, { kind: 'sandbox', name: 'sandbox' })
  await journals.attempt('the journal still has the deleted orders', (journal) =>
    deleteOrders(journal, sandboxOwner.account),
  )
  await journals[Symbol.asyncDispose]()
  context.stdout.write(json ? renderJson({ reset: true }) : 'The sandbox was reset.\n')
}

export const advanceSandbox = async (context: Context, options: AdvanceOptions): Promise<void> => {
  const { duration, json } = options
  if (parseDuration(duration) === undefined) {
    throw new Failure('usage', `the duration is ${JSON.stringify(duration)}; allowed: ${durationForm}`, {
      fix: () => 'orderctl sandbox advance 11m',
    })
  }
  const response = await callControl(context, 'POST', '/clock', { advance: duration })
  context.stdout.write(json ? renderJson(response) : `The sandbox's clock is now at ${response.now}.\n`)
}
