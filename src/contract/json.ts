/** A JSON value that holds no others. Numbers are finite. */
export type JsonPrimitive = string | number | boolean | null

/** What can be stored and sent: everything `JSON.stringify` writes and `JSON.parse` reads back equal. */
export type JsonValue = JsonPrimitive | JsonObject | readonly JsonValue[]

/** A plain object of JSON values. A member that is `undefined` counts as absent, as in `JSON.stringify`. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined
}
