// Names who did something.

/** Who did something, as the process said. `writtenBy` is what a database server knows. */
export type NamedActor = {
  /** The database role, if the journal is shared. */
  readonly role: string | null
  readonly user: string
  /** The database role that wrote it into a shared journal. */
  readonly writtenBy: string | null
}

/** Another role may write for the actor: for example, it copied the orders of a file. */
export const isWrittenByOther = ({ role, writtenBy }: NamedActor): boolean =>
  writtenBy !== null && writtenBy !== role

/** 'ana', or 'ana (written by bob)'. */
export const nameActor = (actor: NamedActor, name = actor.role ?? actor.user): string =>
  isWrittenByOther(actor) ? `${name} (written by ${actor.writtenBy})` : name

/** Who revealed codes: a file has no roles, but the login name of each reveal. */
export const findRevealer = (reveal: {
  readonly who: string
  readonly by?: NamedActor | undefined
}): NamedActor => ({
  role: reveal.by?.role ?? null,
  user: reveal.who,
  writtenBy: reveal.by?.writtenBy ?? null,
})
