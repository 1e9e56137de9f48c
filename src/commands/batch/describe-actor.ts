// Names a person and their machine in a message.
import type { Actor } from '../../journal/actors/actors.ts'

/** 'carla (root on web-1)', or 'root on web-1' in the journal of one machine. */
export const describeActor = ({ role, user, host }: Actor): string =>
  role === null ? `${user} on ${host}` : `${role} (${user} on ${host})`
