/** One edit of a fault: `to` takes the place of `from`, which occurs once in the file. */
export const edit = (file, from, to) => ({ file, from, to });
