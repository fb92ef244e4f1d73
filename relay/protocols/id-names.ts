/** Ids of what upstream keeps, as one client knows them in place of upstream's. */
export interface IdNames {
  /** Of a response that is answered with. */
  seal(upstreamId: string): string
  /** Of the one that it goes on from. */
  previous(upstreamId: string): string
}
