import { describe, expect, it } from 'vitest'
import { hash53 } from '../../src/domain/hash53.ts'

describe('hash53', () => {
  it('never changes, or imports would double', () => {
    expect(['', 'a', 'session 1', '中文 🎉'].map(hash53)).toEqual([
      4770636304139855, 1647829290403952, 2530548425397067, 3100424396049109,
    ])
  })

  it('gives safe integers that use all 53 bits', () => {
    let ever = 0n
    let always = 2n ** 53n - 1n
    for (let i = 0; i < 1000; i++) {
      const hash = hash53(`text ${i}`)
      expect(Number.isSafeInteger(hash) && hash >= 0).toBe(true)
      ever |= BigInt(hash)
      always &= BigInt(hash)
    }
    expect([ever, always]).toEqual([2n ** 53n - 1n, 0n])
  })

  it('gives similar texts different hashes', () => {
    const hashes = new Set<number>()
    for (let i = 0; i < 300_000; i++) hashes.add(hash53(`{"id":"${i}","parentId":"${i - 1}"}`))
    for (let i = 0; i < 65_536; i++) hashes.add(hash53(String.fromCharCode(i)))
    for (let i = 1; i < 2_000; i++) hashes.add(hash53('\0'.repeat(i)))
    expect(hashes.size).toBe(300_000 + 65_536 + 1_998)
  })

  it('changes about half of its bits with any bit of the text', () => {
    const text = 'a session of some length'
    for (let i = 0; i < text.length; i++) {
      for (let bit = 0; bit < 16; bit++) {
        const changed = text.slice(0, i) + String.fromCharCode(text.charCodeAt(i) ^ (1 << bit)) + text.slice(i + 1)
        const bits = (BigInt(hash53(text)) ^ BigInt(hash53(changed))).toString(2).replaceAll('0', '').length
        expect(bits).toBeGreaterThan(8)
        expect(bits).toBeLessThan(45)
      }
    }
  })
})
