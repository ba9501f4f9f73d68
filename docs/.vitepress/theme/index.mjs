/** The default theme with the fonts of the reader's system, and with the landmarks and roles that its own pages lack. */
import theme from 'vitepress/theme-without-fonts';
import { useRoute } from 'vitepress';
import { nextTick, onMounted, watch } from 'vue';
import './style.css';

/** The first page has no `main` of its own; in the side bar a button stands inside of another one that does the same. */
function repairRoles() {
  document.querySelector('.VPHome')?.setAttribute('role', 'main');
  for (const caret of document.querySelectorAll('.VPSidebarItem > [role=button] > .caret'))
    for (const name of ['role', 'tabindex', 'aria-label']) caret.removeAttribute(name);
}

export default {
  ...theme,
  setup() {
    const route = useRoute();
    onMounted(repairRoles);
    watch(
      () => route.path,
      () => nextTick(repairRoles),
    );
  },
};
