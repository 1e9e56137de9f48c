// The checks of the journals that teams share: whether they answer, their versions, and what the role may do.
import type { Context } from '../../context.ts'
import type { SharedCheck } from '../../journal/status/shared.ts'
import { journalVariable } from '../../profiles/account.ts'
import type { Check } from '../../ui/screens/doctor.ts'
import { clockToleranceMs, describeAhead } from '../shared/clock-warning.ts'
import { openSharedDatabase } from '../shared/journal/open-shared.ts'
import type { SharedPlace } from '../shared/journal/place.ts'
import { parseJournalAddress } from '../shared/journal/shared-place.ts'
import { findNoteFolder } from '../shared/journal/state-folder.ts'
import { attemptWithin, ok, problem, warning } from './check.ts'
import type { FoundProfiles } from './profiles.ts'
import { withoutPrompts } from './without-prompts.ts'

type Options = { readonly timeoutMs: number }

export const checkSharedJournals = async (
  context: Context,
  { profiles }: FoundProfiles,
  options: Options,
): Promise<readonly Check[]> => {
  const places = findPlaces(context, profiles)
  return (await Promise.all(places.map((place) => checkPlace(context, place, options)))).flat()
}

/** Each address once. The variable replaces the journals of all profiles. */
const findPlaces = (
  { environment }: Context,
  profiles: FoundProfiles['profiles'],
): readonly SharedPlace[] => {
  const variable = environment[journalVariable]
  const found: SharedPlace[] =
    variable === undefined
      ? profiles.flatMap(({ journal, journalPasswordCommand: passwordCommand }) =>
          journal === undefined
            ? []
            : [
                {
                  kind: 'shared',
                  text: journal,
                  ...(passwordCommand === undefined ? {} : { passwordCommand }),
                },
              ],
        )
      : [{ kind: 'shared', text: variable }]
  return [...new Map(found.map((place) => [place.text, place])).values()]
}

const name = 'Shared journal'

const checkPlace = (
  context: Context,
  place: SharedPlace,
  { timeoutMs }: Options,
): Promise<readonly Check[]> =>
  attemptWithin(context, { name, timeoutMs }, async (signal) => {
    const warnings: Check[] = []
    const address = parseJournalAddress(context, place.text)
    const own = withoutPrompts(context, {
      signal,
      onWarning: (text) => void warnings.push(warning(name, text)),
    })
    const postgres = await openSharedDatabase(own, place, {
      asks: false,
      limits: { connectMs: timeoutMs, statementMs: timeoutMs },
    })
    signal.addEventListener('abort', () => void postgres.close(), { once: true })
    try {
      const { checkShared } = await import('../../journal/status/shared.ts')
      const found = await checkShared(postgres, address, findNoteFolder(context))
      return [...warnings, ...describe(context, address.text, found)]
    } finally {
      await postgres.close()
    }
  })

const describe = ({ clock }: Context, address: string, { role, tables }: SharedCheck): readonly Check[] => {
  const answers = `${address} answers, role ${role}`
  const migrate = 'orderctl journal migrate'
  if (tables === undefined) return [warning(name, `${answers}, but it has no tables yet`, migrate)]
  if (!tables.canWrite)
    return [
      problem(
        name,
        `${answers}, but the role may not record orders`,
        `Ask its owner to run: ${migrate} --grant ${role}`,
      ),
    ]
  const aheadMs = clock.now() - tables.now
  const main = ok(name, answers)
  return Math.abs(aheadMs) <= clockToleranceMs
    ? [main]
    : [main, warning(name, describeAhead(aheadMs, 'the database'), 'Set the clock of this machine.')]
}
