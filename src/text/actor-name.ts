// Formats the actor of an action.

/** The actor of an action, as the process reported. `writtenBy` comes from the database server. */
export type NamedActor = {
  /** The database role, if the journal is shared. */
  readonly role: string | null
  readonly user: string
  readonly host: string | null
  /** The database role that wrote it into a shared journal. */
  readonly writtenBy: string | null
}

/** A different role may write for the actor: for example, it copied the orders of a file. */
export const isWrittenByOther = ({ role, writtenBy }: NamedActor): boolean =>
  writtenBy !== null && writtenBy !== role

/** 'ana', or 'ana (written by bob)'. */
export const nameActor = (actor: NamedActor, name = actor.role ?? actor.user): string =>
  isWrittenByOther(actor) ? `${name} (written by ${actor.writtenBy})` : name

/** The actor of a reveal: a file contains no roles, but each reveal's login name. */
export const findRevealer = (reveal: {
  readonly who: string
  readonly by?: NamedActor | undefined
}): NamedActor => ({
  role: reveal.by?.role ?? null,
  user: reveal.who,
  host: reveal.by?.host ?? null,
  writtenBy: reveal.by?.writtenBy ?? null,
})
