/** About how many bytes plain data takes in memory, to limit what is held there. */
export function bytesInMemory(data: unknown): number {
  const seen = new Set<object>()
  const left: unknown[] = [data]
  let bytes = 0
  while (left.length > 0) {
    const one = left.pop()
    if (typeof one === 'string') bytes += one.length * 2
    else if (typeof one !== 'object' || one === null) bytes += 8
    else if (!seen.has(one)) {
      seen.add(one)
      if (one instanceof Blob) bytes += one.size
      else if (one instanceof ArrayBuffer || ArrayBuffer.isView(one)) bytes += one.byteLength
      else for (const [name, member] of Object.entries(one)) left.push(name, member)
    }
  }
  return bytes
}
