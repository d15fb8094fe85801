/** Characters that take one byte in UTF-8. */
const digits = Array.from({ length: 128 }, (_, i) => String.fromCharCode(i))

/**
 * A count from 0 to the greatest safe integer: six bits in a character, the least significant first, plus 64 where
 * another follows.
 */
export function writeCount(count: number): string {
  let text = ''
  let rest = count
  for (; rest >= 64; rest = Math.floor(rest / 64)) text += digits[64 + (rest % 64)]!
  return text + digits[rest]!
}

/** An integer as a count: 0, −1, 1, −2 … Twice its value must be safe. */
export function writeSigned(number: number): string {
  return writeCount(number < 0 ? -2 * number - 1 : 2 * number)
}

/** A number in a fixed count of characters, of seven bits each, the least significant first. */
export function writeFixed(number: number, width: number): string {
  let text = ''
  let rest = number
  for (let i = 0; i < width; i++, rest = Math.floor(rest / 128)) text += digits[rest % 128]!
  return text
}

/** Reads what the other functions write. After an error, what it returns is meaningless. */
export interface HeadReader {
  count(): number
  signed(): number
  fixed(width: number): number
  /** A text after its length. */
  text(): string
  /** Whether something was not a digit, too large or missing, or whether something is left. */
  isBroken(): boolean
}

export function createHeadReader(text: string): HeadReader {
  let at = 0
  let isBroken = false
  const digit = (): number => {
    const code = text.charCodeAt(at++)
    if (code < 128) return code
    isBroken = true
    return 0
  }
  const checked = (number: number): number => {
    if (!Number.isSafeInteger(number)) isBroken = true
    return number
  }
  const count = (): number => {
    let sum = 0
    for (let weight = 1; ; weight *= 64) {
      const one = digit()
      sum += (one % 64) * weight
      if (one < 64 || weight > Number.MAX_SAFE_INTEGER) return checked(sum)
    }
  }
  return {
    count,
    signed: () => {
      const number = count()
      return number % 2 === 0 ? number / 2 : -(number + 1) / 2
    },
    fixed: (width) => {
      let sum = 0
      for (let i = 0, weight = 1; i < width; i++, weight *= 128) sum += digit() * weight
      return checked(sum)
    },
    text: () => {
      const length = count()
      const found = text.slice(at, at + length)
      at += length
      if (found.length < length) isBroken = true
      return found
    },
    isBroken: () => isBroken || at !== text.length,
  }
}
