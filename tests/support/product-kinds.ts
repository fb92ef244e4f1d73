/** Tollgate as people run it: one process or several, with a data folder and ports of their own. */
export interface Product {
  /** Address of the console and its calls, such as `http://127.0.0.1:40123`; the same after a restart. */
  readonly url: string
  /** Where clients send their requests: one address for each relay. */
  readonly relayUrls: readonly string[]
  /** Everything its processes have printed. */
  readonly logs: () => string
  /** Rows of a query on its database. */
  query(sql: string): Promise<unknown[]>
  /** Ends it and removes its data. */
  dispose(): Promise<void>
}

export interface ProductOptions {
  /** Added to the environment; PORT and DATA_DIR are given. */
  readonly env?: Readonly<Record<string, string>>
  /**
   * For several processes: whether their PostgreSQL keeps what it has acknowledged when it is killed. Default false,
   * which is faster.
   */
  readonly isDurable?: boolean
  /** For several processes: whether the ways between them and the engines can be cut. Default false. */
  readonly isCuttable?: boolean
}
