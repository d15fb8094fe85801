export interface BenchMessage {
  readonly role: string
  readonly content: string
}

const words =
  'the a of to and in is you that it he was for on are as with his they at be this have from or one had by word but not what all were we when your can said there use an each which she do how their if will up other about out many then them these so some her would make like him into time has look two more write go see number no way could people my than first water been call who oil its now find long down day did get come made may part'.split(
    ' ',
  )

/**
 * A message of 1 kB of JSON in words in random order, which deflate makes a third of: what is repeated would flatter
 * who compresses.
 */
export function messageOf(i: number): BenchMessage {
  let content = `${i}`
  while (content.length < 965) content += ` ${words[Math.floor(Math.random() * words.length)]}`
  return { role: i % 2 === 0 ? 'user' : 'assistant', content: content.slice(0, 965) }
}

export const payloadOf = (message: BenchMessage): number => new TextEncoder().encode(JSON.stringify(message)).length

/** As a ULID: 26 characters, ten of them the time. */
export function ulid(): string {
  const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
  let time = Date.now()
  let id = ''
  for (let i = 0; i < 10; i++, time = Math.floor(time / 32)) id = digits[time % 32]! + id
  for (let i = 0; i < 16; i++) id += digits[Math.floor(Math.random() * 32)]!
  return id
}
