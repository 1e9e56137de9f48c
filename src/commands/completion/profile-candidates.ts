// Candidates from the saved profiles: their names and their accounts.
import { environmentName, sandbox } from '../../profiles/profile.ts'
import { readProfiles } from './journal-reader.ts'
import { removeRepeated, type Source } from './source.ts'

/** The sandbox, then the saved profiles. */
export const findProfiles: Source = ({ context }) => {
  const builtIn = { value: sandbox, description: 'built in: no real money' }
  try {
    const all = readProfiles(context).list()
    return {
      candidates: [builtIn, ...all.map(({ name, baseUrl }) => ({ value: name, description: baseUrl }))],
    }
  } catch {
    return { candidates: [builtIn] }
  }
}

export const findSavedProfiles: Source = async (ask) => ({
  candidates: (await findProfiles(ask)).candidates.filter(({ value }) => value !== sandbox),
})

export const findProfilesOfOrders: Source = async (ask) => ({
  candidates: [
    ...(await findProfiles(ask)).candidates,
    { value: environmentName, description: 'placed with ORDERCTL_BASE_URL' },
  ],
})

export const findAccountNames: Source = ({ context }) => ({
  candidates: removeRepeated(
    readProfiles(context)
      .list()
      .flatMap(({ account, name }) =>
        account === undefined ? [] : [{ value: account, description: `account of the profile ${name}` }],
      ),
  ),
})
