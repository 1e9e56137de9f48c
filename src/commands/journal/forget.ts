// The steps of `orderctl journal forget`.
import path from 'node:path'
import {
  chooseJournal,
  describeJournal,
  findStateExposure,
  journalsOf,
  ownerOf,
  stateFolderPath,
} from '../../app/journals.ts'
import { canPrompt, createPromptFailure } from '../../app/terminal.ts'
import type { Context } from '../../context.ts'
import { isSameAccount } from '../../contract/account-id.ts'
import { Failure, interruption } from '../../errors.ts'
import { refuseExposure } from '../../exposure.ts'
import { forgetHandovers, readHandovers } from '../../journal/copy/handover.ts'
import { journalFile } from '../../journal/journal.ts'
import { openMachine } from '../../journal/machine/machine-file.ts'
import { findForgettable, forgetJournals, noteHandovers } from '../../journal/machine/newest-call.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import { formatRelative } from '../../ui/text/formats.ts'
import { readFields, renderJson } from '../../ui/text/result-fields.ts'
import { findAccount, forgottenFields } from './run.ts'
import type { ForgetOptions } from './spec.ts'

export const forgetJournal = async (context: Context, options: ForgetOptions): Promise<void> => {
  const account = await findAccount(context, options.profile)
  const { place } = describeJournal(context, chooseJournal(context, account))
  const folder = stateFolderPath(context)
  refuseExposure('the machine file', findStateExposure(context))
  using machine = openMachine(folder)
  const id = account && ownerOf(account).account
  const journals = findForgettable({ machine, account: id, place })
  await using own = journalsOf(context, undefined, { place: { kind: 'file' } })
  const file = await own.openExisting()
  const handovers = place === undefined ? await readHandovers(file.read) : []
  const ended = handovers.filter((each) => id === undefined || isSameAccount(each.account, id))
  const [handover] = ended
  if (handover !== undefined && !options.reason?.trim()) throw createReasonFailure(handover.place)
  const forgotten = journals.map((each) => ({
    journal: each.place ?? path.join(folder, journalFile),
    newestCallAt: each.newest.startedAt,
  }))
  const now = context.clock.now()
  const all = [
    ...forgotten.map(
      (each) => `${sanitize(each.journal)} (newest call ${formatRelative(each.newestCallAt, now)})`,
    ),
    ...(handover === undefined ? [] : [`the copy to ${sanitize(handover.place)}`]),
  ].join(' and ')
  if (all !== '') await requireConsent(context, options, all)
  if (handover !== undefined) {
    await forgetHandovers(file, ended, options.reason ?? '')
    await noteHandovers(machine, file)
  }
  await forgetJournals(machine, journals)
  if (options.json)
    context.stdout.write(renderJson(forgotten.map((each) => readFields(forgottenFields, each))))
  else
    context.stdout.write(all === '' ? 'This machine knows no journal of this account.\n' : `Forgot ${all}.\n`)
}

const createReasonFailure = (place: string): Failure =>
  new Failure(
    'usage',
    `journal forget needs --reason, because the orders of this journal were copied, or are being copied, to ${place}`,
    {
      field: '--reason',
      advice:
        'Say why the shared journal cannot be used. This machine does not know its orders, and can buy them again.',
    },
  )

/** In a script, the command itself is the consent. */
const requireConsent = async (
  context: Context,
  { yes, noInput }: ForgetOptions,
  journals: string,
): Promise<void> => {
  if (yes || !context.stdin.isTerminal) return
  if (!canPrompt(context, { noInput })) throw createPromptFailure('journal forget', 'forget')
  const question = `Forget ${journals}? Its saved outcomes are lost, and orders that the journal does not have can be bought again.`
  if (!(await context.askYesNo(question))) throw interruption(context.interrupted, 'nothing was forgotten')
}
