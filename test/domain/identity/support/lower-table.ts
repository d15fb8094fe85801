import runs from '../unicode-15-lower.json'

/**
 * Each character with its lower case in Unicode 15.0, the tables of the Go that builds PicoClaw. The file has them as
 * runs `[first, last, step, distance]`, taken from the Unicode character database.
 */
export const lowerTable: ReadonlyMap<string, string> = new Map(
  runs.flatMap(([first = 0, last = 0, step = 1, distance = 0]) =>
    Array.from({ length: (last - first) / step + 1 }, (_, i): [string, string] => {
      const point = first + i * step
      return [String.fromCodePoint(point), String.fromCodePoint(point + distance)]
    }),
  ),
)
