/** A JSON value that contains no others. Numbers are finite. */
export type JsonPrimitive = string | number | boolean | null

/** A value that can be stored and sent: everything that `JSON.stringify` writes and `JSON.parse` reads back equal. */
export type JsonValue = JsonPrimitive | JsonObject | readonly JsonValue[]

/** A plain object of JSON values. A member that is `undefined` counts as absent, as in `JSON.stringify`. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined
}
