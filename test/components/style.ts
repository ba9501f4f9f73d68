/** Stands for files that only a bundler can load: styles and pictures. */
export default {};
