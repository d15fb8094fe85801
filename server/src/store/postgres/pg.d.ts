/** The part of `pg` that is used; it has no types of its own. */
declare module 'pg' {
  export class Pool {
    constructor(options: Record<string, unknown>)
    connect(): Promise<Client>
    // biome-ignore lint/suspicious/noExplicitAny: rows are what the query says.
    query(text: string, values?: readonly unknown[]): Promise<{ readonly rows: any[]; readonly rowCount: number }>
    on(event: 'error', listener: (error: Error) => void): this
    end(): Promise<void>
  }
  export interface Client {
    query: Pool['query']
    release(error?: boolean): void
  }
  const pg: { readonly Pool: typeof Pool }
  export default pg
}
