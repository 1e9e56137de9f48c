// Where the key of a profile is kept: in the credential store of the system, or in the profiles file.
import type { Context } from '../../context.ts'
import { Failure, writeFix } from '../../errors.ts'
import { findKeyItem, openKeyStore } from '../../profiles/key-store.ts'
import type { Credential, Profile } from '../../profiles/profile.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import type { KeyOptions } from './spec.ts'

export type KeyedProfile = Profile & { readonly credential: Credential }

type Saved = {
  readonly profile: KeyedProfile
  /** Why the key is in the file, although the user did not choose the file. */
  readonly reason?: string
}

/**
 * Keeps the key in its place, then calls `save` with the profile as the file has it. Without a place, the key is kept in
 * the credential store if the system has one.
 */
export const saveWithKey = async (
  context: Context,
  given: KeyedProfile,
  place: KeyOptions['keyStore'],
  save: (profile: KeyedProfile) => Promise<void>,
): Promise<Saved> => {
  const { name, baseUrl, credential } = given
  if (credential.kind !== 'key' || place === 'file') {
    await save(given)
    return { profile: given }
  }
  const store = openKeyStore(context)
  const id = context.clock.newId()
  const item = { profile: name, baseUrl, id }
  const reason = await store.findAbsence(item)
  if (reason !== undefined) {
    if (place === 'system')
      throw new Failure('credentials', `no credential store of this system responds: ${reason}`, {
        fix: 'Keep the key in a file: --key-store file',
      })
    await save(given)
    return { profile: given, reason }
  }
  await store.save(item, credential.key)
  const profile: KeyedProfile = { ...given, credential: { kind: 'system', id } }
  try {
    await save(profile)
  } catch (error) {
    await store.remove(item).catch(() => {})
    throw error
  }
  return { profile }
}

/** Removes a key from the credential store if no profile needs it any more. */
export const removeStoredKey = async (context: Context, profile: Profile | undefined): Promise<void> => {
  const item = profile === undefined ? undefined : findKeyItem(profile)
  if (item !== undefined) await openKeyStore(context).remove(item)
}

/** The new key is saved, so an old key that remains is no error. */
export const removeOldKey = async (context: Context, replaced: Profile | undefined): Promise<void> => {
  try {
    await removeStoredKey(context, replaced)
  } catch (error) {
    if (!(error instanceof Failure) || context.interrupted.aborted) throw error
    const fix = writeFix(error.details.fix, context.suggest) ?? ''
    context.stderr.write(`warning: ${sanitize(`${error.message}. ${fix}`)}\n`)
  }
}
