const [comma, openList, closeList, openObject, closeObject] = [0x2c, 0x5b, 0x5d, 0x7b, 0x7d]
const byteOrderMark = [0xef, 0xbb, 0xbf]

/** Reads the text between the items of a JSON text: white space, commas, and the brackets of the list. */
export interface ItemGaps {
  /** Whether the file is a list. */
  readonly isList: boolean
  /** Whether the file may end here. */
  readonly isDone: boolean
  /** Whether a byte begins an item. Fails where that can't be JSON. */
  isStart(byte: number, at: number): boolean
  /** Begins the gap after an item. */
  enter(): void
}

export function createItemGaps(fail: (at: number, found: string) => never): ItemGaps {
  /**
   * `first`: an item must follow, or the end of the list; `value`: an item must follow; `after`: a comma, or the end of
   * the list; `done`: nothing may follow, or in a file without a list another object.
   */
  let state: 'start' | 'first' | 'value' | 'after' | 'done' = 'start'
  let isList = false

  function takesSeparator(byte: number): boolean {
    if (state === 'start' && byte === openList) {
      isList = true
      state = 'first'
      return true
    }
    if (state === 'after' && byte === comma) {
      state = 'value'
      return true
    }
    if ((state === 'after' || state === 'first') && byte === closeList) {
      state = 'done'
      return true
    }
    return false
  }

  return {
    get isList() {
      return isList
    },
    get isDone() {
      return state === 'done'
    },
    isStart(byte, at) {
      if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) return false
      if (at < 3 && byte === byteOrderMark[at]) return false
      if (takesSeparator(byte)) return false
      const isStart =
        state === 'start' || (state === 'done' && !isList)
          ? byte === openObject
          : (state === 'first' || state === 'value') && byte !== comma && byte !== closeList && byte !== closeObject
      if (!isStart)
        fail(
          at,
          state === 'done'
            ? 'it continues after its end'
            : state === 'after'
              ? 'a comma is missing'
              : 'there is no value',
        )
      return true
    },
    enter() {
      state = isList ? 'after' : 'done'
    },
  }
}
