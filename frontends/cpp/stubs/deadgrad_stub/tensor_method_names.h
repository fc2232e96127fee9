// The permissive methods of at::Tensor: names, grouped by what they return and by how many arguments they take. FEW
// stands for at most two, MANY for more; a newer LibTorch may add one to either.
#pragma once
#pragma GCC system_header

#define DEADGRAD_STUB_METHODS_NULLARY(X)                                                                               \
  X(abs)                                                                                                               \
  X(absolute) X(acos) X(acosh) X(adjoint) X(alias) X(angle) X(arccos) X(arccosh) X(arcsin) X(arcsinh) X(arctan)        \
      X(arctanh) X(argwhere) X(asin) X(asinh) X(atan) X(atanh) X(bitwise_not) X(ccol_indices) X(ceil) X(coalesce)      \
          X(col_indices) X(conj_physical) X(corrcoef) X(cos) X(cosh) X(cpu) X(crow_indices) X(cuda) X(deg2rad)         \
              X(dequantize) X(det) X(detach) X(digamma) X(erf) X(erfc) X(erfinv) X(exp) X(exp2) X(expm1) X(fix)        \
                  X(fliplr) X(flipud) X(floor) X(frac) X(hip) X(i0) X(indices) X(int_repr) X(inverse) X(isfinite)      \
                      X(isinf) X(isnan) X(isneginf) X(isposinf) X(isreal) X(lgamma) X(log) X(log10) X(log1p) X(log2)   \
                          X(logdet) X(logical_not) X(mH) X(mT) X(matrix_H) X(matrix_exp) X(meta) X(metal) X(msort)     \
                              X(neg) X(negative) X(nonzero) X(numpy_T) X(positive) X(q_per_channel_scales)             \
                                  X(q_per_channel_zero_points) X(rad2deg) X(ravel) X(reciprocal) X(relu)               \
                                      X(resolve_conj) X(resolve_neg) X(row_indices) X(rsqrt) X(sgn) X(sigmoid) X(sign) \
                                          X(signbit) X(sin) X(sinc) X(sinh) X(sqrt) X(square) X(t) X(tan) X(tanh)      \
                                              X(tensor_data) X(to_sparse_csc) X(to_sparse_csr) X(trace) X(trunc)       \
                                                  X(values) X(variable_data) X(ve) X(vulkan)

#define DEADGRAD_STUB_METHODS_NULLARY_INPLACE(X)                                                                      \
  X(abs_)                                                                                                             \
  X(absolute_) X(acos_) X(acosh_) X(arccos_) X(arccosh_) X(arcsin_) X(arcsinh_) X(arctan_) X(arctanh_) X(asin_)       \
      X(asinh_) X(atan_) X(atanh_) X(bitwise_not_) X(ceil_) X(conj_physical_) X(cos_) X(cosh_) X(deg2rad_) X(detach_) \
          X(digamma_) X(erf_) X(erfc_) X(erfinv_) X(exp2_) X(exp_) X(expm1_) X(fix_) X(floor_) X(frac_) X(i0_)        \
              X(lgamma_) X(log10_) X(log1p_) X(log2_) X(log_) X(logical_not_) X(neg_) X(negative_) X(rad2deg_)        \
                  X(reciprocal_) X(relu_) X(rsqrt_) X(sgn_) X(sigmoid_) X(sign_) X(sin_) X(sinc_) X(sinh_) X(sqrt_)   \
                      X(square_) X(t_) X(tan_) X(tanh_) X(trunc_) X(zero_)

#define DEADGRAD_STUB_METHODS_FEW(X)                                                                                  \
  X(add)                                                                                                              \
  X(align_as) X(align_to) X(all) X(any) X(arctan2) X(argmax) X(argmin) X(atan2) X(bernoulli) X(bitwise_and)           \
      X(bitwise_left_shift) X(bitwise_or) X(bitwise_right_shift) X(bitwise_xor) X(bmm) X(broadcast_to) X(chalf) X(    \
          cholesky) X(cholesky_inverse) X(cholesky_solve) X(clamp) X(clamp_max) X(clamp_min) X(clip) X(clone) X(conj) \
          X(contiguous) X(copysign) X(count_nonzero) X(cross) X(cumprod) X(cumsum) X(diag) X(diagflat) X(dist) X(div) \
              X(divide) X(dot) X(eq) X(expand) X(expand_as) X(flip) X(float_power) X(floor_divide) X(fmax) X(fmin)    \
                  X(fmod) X(gcd) X(ge) X(ger) X(greater) X(greater_equal) X(gt) X(hardshrink) X(heaviside) X(hypot)   \
                      X(igamma) X(igammac) X(index_select) X(inner) X(kron) X(lcm) X(ldexp) X(le) X(lerp) X(less)     \
                          X(less_equal) X(log_softmax) X(logaddexp) X(logaddexp2) X(logcumsumexp) X(logical_and)      \
                              X(logical_or) X(logical_xor) X(logit) X(logsumexp) X(lt) X(lu_solve) X(masked_fill)     \
                                  X(masked_scatter) X(masked_select) X(matmul) X(matrix_power) X(maximum) X(minimum)  \
                                      X(mm) X(moveaxis) X(movedim) X(mul) X(multiply) X(mv) X(mvlgamma) X(ne)         \
                                          X(nextafter) X(nonzero_static) X(not_equal) X(orgqr) X(outer) X(permute)    \
                                              X(pin_memory) X(pinverse) X(polygamma) X(pow) X(prelu) X(refine_names)  \
                                                  X(remainder) X(rename) X(repeat) X(reshape) X(reshape_as) X(round)  \
                                                      X(select) X(smm) X(softmax) X(sparse_mask) X(squeeze)           \
                                                          X(sub) X(subtract) X(sum_to_size) X(swapaxes) X(swapdims)   \
                                                              X(take) X(take_along_dim) X(tile) X(toBackend)          \
                                                                  X(toType) X(to_dense) X(to_mkldnn)                  \
                                                                      X(to_padded_tensor) X(to_sparse)                \
                                                                          X(to_sparse_bsc) X(to_sparse_bsr)           \
                                                                              X(transpose) X(tril) X(triu)            \
                                                                                  X(true_divide) X(type_as)           \
                                                                                      X(unsqueeze) X(vdot) X(view)    \
                                                                                          X(view_as) X(xlogy)

#define DEADGRAD_STUB_METHODS_FEW_INPLACE(X)                                                                        \
  X(add_)                                                                                                           \
  X(arctan2_) X(atan2_) X(bernoulli_) X(bitwise_and_) X(bitwise_left_shift_) X(bitwise_or_) X(bitwise_right_shift_) \
      X(bitwise_xor_) X(clamp_) X(clamp_max_) X(clamp_min_) X(clip_) X(copy_) X(copysign_) X(cumprod_) X(cumsum_)   \
          X(div_) X(divide_) X(eq_) X(exponential_) X(fill_) X(fill_diagonal_) X(float_power_) X(floor_divide_)     \
              X(fmod_) X(gcd_) X(ge_) X(geometric_) X(greater_) X(greater_equal_) X(gt_) X(heaviside_) X(hypot_)    \
                  X(igamma_) X(igammac_) X(lcm_) X(ldexp_) X(le_) X(lerp_) X(less_) X(less_equal_) X(logical_and_)  \
                      X(logical_or_) X(logical_xor_) X(logit_) X(lt_) X(masked_fill_) X(masked_scatter_) X(mul_)    \
                          X(multiply_) X(mvlgamma_) X(ne_) X(nextafter_) X(not_equal_) X(polygamma_) X(pow_)        \
                              X(remainder_) X(rename_) X(resize_) X(resize_as_) X(resize_as_sparse_) X(round_)      \
                                  X(squeeze_) X(sub_) X(subtract_) X(swapaxes_) X(swapdims_) X(transpose_) X(tril_) \
                                      X(triu_) X(true_divide_) X(unsqueeze_) X(xlogy_)

#define DEADGRAD_STUB_METHODS_MANY(X)                                                                                 \
  X(addbmm)                                                                                                           \
  X(addcdiv) X(addcmul) X(addmm) X(addmv) X(addr) X(argsort) X(as_strided) X(as_strided_scatter) X(baddbmm)           \
      X(diag_embed) X(diagonal) X(diagonal_scatter) X(flatten) X(gather) X(histc) X(index_add) X(index_copy)          \
          X(index_fill) X(index_put) X(index_reduce) X(isclose) X(mean) X(multinomial) X(nan_to_num) X(nanmean)       \
              X(nanquantile) X(nansum) X(narrow) X(narrow_copy) X(new_empty) X(new_empty_strided) X(new_full)         \
                  X(new_ones) X(new_zeros) X(norm) X(ormqr) X(prod) X(put) X(quantile) X(renorm) X(repeat_interleave) \
                      X(scatter) X(scatter_add) X(scatter_reduce) X(select_scatter) X(slice) X(slice_scatter)         \
                          X(sspaddmm) X(std) X(stft) X(sum) X(to) X(unflatten) X(unfold) X(var)

#define DEADGRAD_STUB_METHODS_MANY_INPLACE(X)                                                                     \
  X(addbmm_)                                                                                                      \
  X(addcdiv_) X(addcmul_) X(addmm_) X(addmv_) X(addr_) X(as_strided_) X(baddbmm_) X(cauchy_) X(index_add_)        \
      X(index_copy_) X(index_fill_) X(index_reduce_) X(log_normal_) X(nan_to_num_) X(normal_) X(put_) X(random_)  \
          X(renorm_) X(scatter_) X(scatter_add_) X(scatter_reduce_) X(sparse_resize_) X(sparse_resize_and_clear_) \
              X(uniform_)

#define DEADGRAD_STUB_METHODS_VECTOR(X)                                                                       \
  X(chunk)                                                                                                    \
  X(dsplit) X(hsplit) X(nonzero_numpy) X(split) X(split_with_sizes) X(tensor_split) X(unbind) X(unsafe_chunk) \
      X(unsafe_split) X(unsafe_split_with_sizes) X(vsplit)

#define DEADGRAD_STUB_METHODS_TUPLE2(X)                                                                \
  X(aminmax)                                                                                           \
  X(cummax) X(cummin) X(frexp) X(geqrf) X(kthvalue) X(mode) X(qr) X(slogdet) X(sort) X(symeig) X(topk) \
      X(triangular_solve)

#define DEADGRAD_STUB_METHODS_TUPLE3(X) X(svd)

#define DEADGRAD_STUB_METHODS_BOOL(X) X(is_coalesced) X(is_pinned) X(is_set_to)

#define DEADGRAD_STUB_METHODS_INT64(X) X(dense_dim) X(sparse_dim)

#define DEADGRAD_STUB_METHODS_DOUBLE(X)
