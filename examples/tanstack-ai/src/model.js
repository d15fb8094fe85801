/** Stands for a model: it repeats what it is told, word by word. It is slow when it is told so. */
export async function* answer(told) {
  for (const word of `You said: ${told}`.split(' ')) {
    yield `${word} `
    await new Promise((resolve) => setTimeout(resolve, told.startsWith('slowly') ? 2_000 : 30))
  }
}
