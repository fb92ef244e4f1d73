/** One step of a package's source tables (never of read models, which are rebuilt instead). Run once, in list order. */
export interface Migration {
  /** Unique over all packages, such as `identity-0001-users`. Never changed once landed. */
  readonly id: string
  readonly sql: string
}
