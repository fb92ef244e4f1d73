/**
 * Names of what events call by number. Events carry no names, so that a person can be forgotten; they live in tables of
 * `identity` and `secrets`, which the command API owns and answers from. Deleted ones are still named.
 */
export interface Names {
  /** User names by id; unknown ids are left out. */
  readonly users: (ids: readonly number[]) => Promise<ReadonlyMap<number, string>>
  /** The user with exactly this name; null when there is none. */
  readonly userIdByName: (name: string) => Promise<number | null>
  readonly tokens: (ids: readonly number[]) => Promise<ReadonlyMap<number, string>>
  /** Tokens of exactly this name, of one user or (null) of all. */
  readonly tokenIdsByName: (name: string, userId: number | null) => Promise<readonly number[]>
  readonly channels: (ids: readonly number[]) => Promise<ReadonlyMap<number, string>>
  /** Administrators' words on adjustments by id; erased ones are left out. */
  readonly notes: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>
}

/** The ids that are there, once each; 0 stands for none. */
export const distinctIds = (ids: readonly number[]): number[] =>
  [...new Set(ids)].filter((id) => id > 0)
