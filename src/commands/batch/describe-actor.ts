// Names a person and their machine in a message.
import type { Actor } from '../../journal/actors/actors.ts'
import { nameActor } from '../../text/actor-name.ts'

/** 'carla (root on web-1)', or 'root on web-1' in the journal of one machine. */
export const describeActor = (actor: Actor): string => {
  const { role, user, host } = actor
  return nameActor(actor, role === null ? `${user} on ${host}` : `${role} (${user} on ${host})`)
}
