/** Ids of objects that upstream keeps, as one client knows them in place of upstream's. */
export interface IdNames {
  /** The client's id for a response that is answered with. */
  seal(upstreamId: string): string
  /** The client's id for the response that it goes on from. */
  previous(upstreamId: string): string
}
