// The fields of all results and of errors, for help and the docs. TAB needs fewer: see results.ts.

import { checkFields, doctorFields } from '../ui/screens/doctor.ts'
import { waitingType } from '../ui/screens/orders.ts'
import { type FieldType, listOf, type ResultFields, sparse } from '../ui/text/result-fields.ts'
import { resultsByCommand } from './results.ts'

/** Each command stays a part of its own in dist/. */
export const loadAllResults = async (): Promise<ReadonlyMap<string, FieldType>> => {
  const [completion, version, journal, profile, report, sandbox] = await Promise.all([
    import('../commands/completion/run.ts'),
    import('../commands/help/version.ts'),
    import('../commands/journal/run.ts'),
    import('../commands/profile/run.ts'),
    import('../commands/report/run.ts'),
    import('../commands/sandbox/run.ts'),
  ])
  const [listen, replay, mock, redeem, failure, limits] = await Promise.all([
    import('../commands/listen/run.ts'),
    import('../commands/listen/replay.ts'),
    import('../commands/serve-mock/run.ts'),
    import('../commands/redeem/run.ts'),
    import('../ui/screens/failure.ts'),
    import('../ui/screens/limits.ts'),
  ])
  /** Each line of stderr has one of them. */
  const stderrFields: ResultFields<never> = [
    ['error', failure.errorType, 'why the command failed', () => undefined],
    ['warnings', listOf('text'), 'warnings that no other JSON has', () => undefined],
    ['waiting', waitingType, 'the run that --idempotent waits for', () => undefined],
  ]
  return new Map<string, FieldType>([
    ...resultsByCommand,
    ['redeem --export', redeem.writtenFields],
    ['report', report.listResultFields([])],
    ...[' add', ' set', ' use', ' show'].map((name) => [`profile${name}`, profile.profileFields] as const),
    ['profile list', listOf(profile.profileFields)],
    ['profile limits', limits.limitsFields],
    ['profile remove', profile.removedFields],
    ['profile test', profile.testedFields],
    ['journal status', checkFields],
    ['journal migrate', journal.migratedFields],
    ['journal backup', journal.keptFields],
    ['journal copy', journal.copiedFields],
    ['journal copy --undo', journal.undoneFields],
    ['journal forget', listOf(journal.forgottenFields)],
    ['doctor', doctorFields],
    ['sandbox', sandbox.sandboxFields],
    ['sandbox reset', sandbox.resetFields],
    ['sandbox advance', sandbox.clockFields],
    ['completion', completion.scriptFields],
    ['completion install', completion.installedFields],
    ['listen', listen.listenLine],
    ['listen --status', listen.statusFields],
    ['listen replay', replay.replayedFields],
    ['serve-mock', mock.mockLine],
    ['--version', version.versionFields],
    ['errors', sparse(stderrFields)],
  ])
}
