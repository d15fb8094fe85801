export const recordVersion = 1
const recordBytes = 49

/** Whether these bytes have the form of a key record. This does not prove the record. */
export const isKeyRecord = (given: unknown): given is Uint8Array =>
  given instanceof Uint8Array && given.length === recordBytes && given[0] === recordVersion
