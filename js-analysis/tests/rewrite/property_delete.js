// watch: .p, x
delete a.p;
delete (f()["p"]);
delete a[k()];
delete a?.p;
delete a?.[k];
delete a.q;
delete a?.b.p;
