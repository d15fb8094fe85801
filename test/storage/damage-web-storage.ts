/** Cuts the line of a record in half, in whatever document of the session it lies. */
export async function damageWebStorage(storage: Storage, session: number, lane: number, record: string): Promise<void> {
  for (let i = 0; i < storage.length; i++) {
    const key = storage.key(i) ?? ''
    const text = storage.getItem(key) ?? ''
    if (!text.startsWith(`keepsession 1 ${session}\n`)) continue
    const lines = text
      .split('\n')
      .map((line) => (line.startsWith(`e ${lane} ${record}\t`) ? line.slice(0, line.length / 2) : line))
    storage.setItem(key, lines.join('\n'))
  }
}
